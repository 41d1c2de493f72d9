:- module(date, [format_time/3, format_time/4, stamp_date_time/3, date_time_stamp/2, date_time_value/3, parse_time/2, parse_time/3,
                 day_of_the_week/2, day_of_the_year/2, date_create/3, current_date/1, date_to_iso/2]).

% Points of time as seconds since 1970 and as `date(Y,M,D,H,Mn,S,Off,TZ,DST)`. The local time zone is UTC.

days(Y0, M, D, N) :-                      % days since 1970-01-01; March is the first month of the shifted year
    ( M =< 2 -> Y is Y0 - 1, M1 is M + 9 ; Y = Y0, M1 is M - 3 ),
    Era is Y div 400, Yoe is Y - Era * 400,
    Doy is (153 * M1 + 2) // 5 + D - 1,
    Doe is Yoe * 365 + Yoe // 4 - Yoe // 100 + Doy,
    N is Era * 146097 + Doe - 719468.
civil(N0, Y, M, D) :-
    N is N0 + 719468, Era is N div 146097, Doe is N - Era * 146097,
    Yoe is (Doe - Doe // 1460 + Doe // 36524 - Doe // 146096) // 365,
    Doy is Doe - (365 * Yoe + Yoe // 4 - Yoe // 100),
    Mp is (5 * Doy + 2) // 153, D is Doy - (153 * Mp + 2) // 5 + 1,
    ( Mp < 10 -> M is Mp + 3 ; M is Mp - 9 ),
    ( M =< 2 -> Y is Yoe + Era * 400 + 1 ; Y is Yoe + Era * 400 ).

stamp_date_time(Stamp, Date, TimeZone) :-
    ( var(TimeZone) -> TimeZone = local ; true ),
    zone(TimeZone, Off, Name, Dst),
    T is Stamp - Off,
    Day is floor(T / 86400), civil(Day, Y, M, D),
    Whole is floor(Stamp), Fraction is Stamp - Whole,
    Secs is Whole - Off - Day * 86400,
    H is Secs // 3600, Mn is Secs mod 3600 // 60, S0 is Secs mod 60, S is float(S0 + Fraction),
    Date = date(Y, M, D, H, Mn, S, Off, Name, Dst).
zone(local, 0, 'UTC', false) :- !.
zone('UTC', 0, 'UTC', -) :- !.
zone(Off, Off, -, -) :- integer(Off), !.
zone(Z, _, _, _) :- throw(error(domain_error(timezone, Z), _)).

date_time_stamp(date(Y, M, D, H, Mn, S, Off0, _, _), Stamp) :- !,
    ( integer(Off0) -> Off = Off0 ; Off = 0 ),
    defaults([Y-1970, M-1, D-1, H-0, Mn-0, S-0]),
    stamp(Y, M, D, H, Mn, S, Off, Stamp).
date_time_stamp(date(Y, M, D), Stamp) :- !,
    defaults([Y-1970, M-1, D-1]),
    stamp(Y, M, D, 0, 0, 0, 0, Stamp).
date_time_stamp(date(Y, M, D, H, Mn, S), Stamp) :- !, date_time_stamp(date(Y, M, D, H, Mn, S, 0, -, -), Stamp).
date_time_stamp(D, _) :- throw(error(type_error(date_time, D), _)).
defaults([]).
defaults([V-D|L]) :- ( var(V) -> V = D ; true ), defaults(L).
% Months and days beyond their range count on.
stamp(Y0, M0, D, H, Mn, S, Off, Stamp) :-
    Y is Y0 + (M0 - 1) div 12, M is (M0 - 1) mod 12 + 1,
    days(Y, M, 1, N), Stamp is float((N + D - 1) * 86400 + H * 3600 + Mn * 60 + S + Off).

date_time_value(year, D, V) :- field(D, 1, V).
date_time_value(month, D, V) :- field(D, 2, V).
date_time_value(day, D, V) :- field(D, 3, V).
date_time_value(hour, D, V) :- field(D, 4, V).
date_time_value(minute, D, V) :- field(D, 5, V).
date_time_value(second, D, V) :- field(D, 6, V).
date_time_value(utc_offset, D, V) :- field(D, 7, V).
date_time_value(time_zone, D, V) :- field(D, 8, V), V \== (-).
date_time_value(daylight_saving, D, V) :- field(D, 9, V), V \== (-).
date_time_value(date, D, date(Y, M, Dd)) :- field(D, 1, Y), field(D, 2, M), field(D, 3, Dd).
date_time_value(time, D, time(H, M, S)) :- field(D, 4, H), field(D, 5, M), field(D, 6, S).
field(D, N, V) :- arg(N, D, V).

day_of_the_week(date(Y, M, D), W) :- days(Y, M, D, N), W is (N + 3) mod 7 + 1.
day_of_the_year(date(Y, M, D), N) :- days(Y, M, D, A), days(Y, 1, 1, B), N is A - B + 1.
date_create(D0, Add, D) :- date_time_stamp(D0, S0), S is S0 + Add, stamp_date_time(S, date(Y, M, Dd, _, _, _, _, _, _), 'UTC'), D = date(Y, M, Dd).
current_date(date(Y, M, D)) :- get_time(T), stamp_date_time(T, date(Y, M, D, _, _, _, _, _, _), 'UTC').
date_to_iso(D, A) :- format_time(atom(A), '%F', D).

% -- formatting

format_time(Out, Format, When) :- format_time(Out, Format, When, posix).
format_time(Out, Format, When, _) :-
    moment(When, Stamp, Date),
    ( is_list(Format) -> ( Format = [X|_], integer(X) -> Cs = Format ; atomic_list_concat(Format, A), atom_codes(A, Cs) ) ; atom_codes(Format, Cs) ),
    phrase(time_text(Cs, Stamp, Date), Parts),
    atomic_list_concat(Parts, Text),
    ( compound(Out), Out =.. [Sink, _], memberchk(Sink, [atom, string, codes, chars]) -> format(Out, '~w', [Text])
    ; compound(Out), functor(Out, codes, 2) -> format(Out, '~w', [Text])
    ; format(Out, '~w', [Text]) ).
moment(T, T, Date) :- number(T), !, stamp_date_time(T, Date, local).
moment(date(Y, M, D), Stamp, Date) :- !, date_time_stamp(date(Y, M, D), Stamp), stamp_date_time(Stamp, Date, local).
moment(Date0, Stamp, Date) :- compound(Date0), functor(Date0, date, 9), !, date_time_stamp(Date0, Stamp), Date = Date0.
moment(X, _, _) :- throw(error(type_error(time, X), _)).

time_text([], _, _) --> [].
time_text([0'%, E, C|Cs], S, D) --> { memberchk(E, [0'E, 0'O, 0'_]) }, !, { char_code(Ch, C) }, directive(Ch, S, D), time_text(Cs, S, D).
time_text([0'%, 0':, 0'z|Cs], S, D) --> !, directive(:, S, D), time_text(Cs, S, D).
time_text([0'%, N, 0'f|Cs], S, D) --> { N >= 0'0, N =< 0'9 }, !, { K is N - 0'0 }, fraction(K, D), time_text(Cs, S, D).
time_text([0'%, C|Cs], S, D) --> !, { char_code(Ch, C) }, directive(Ch, S, D), time_text(Cs, S, D).
time_text([C|Cs], S, D) --> { char_code(Ch, C) }, [Ch], time_text(Cs, S, D).

pad(W, N) --> { format(atom(A), '~`0t~d~*|', [N, W]) }, [A].
blank(W, N) --> { format(atom(A), '~t~d~*|', [N, W]) }, [A].
fraction(K, D) --> { arg(6, D, S), F is S - floor(S), N is truncate(F * 10 ** K) }, pad(K, N).
weekday(D, W) :- arg(1, D, Y), arg(2, D, M), arg(3, D, Dd), day_of_the_week(date(Y, M, Dd), W).

directive(a, _, D) --> { weekday(D, W), arg(W, d('Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'), A) }, [A].
directive('A', _, D) --> { weekday(D, W), arg(W, d('Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'), A) }, [A].
directive(b, _, D) --> { arg(2, D, M), arg(M, m('Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'), A) }, [A].
directive(h, S, D) --> directive(b, S, D).
directive('B', _, D) --> { arg(2, D, M), arg(M, m('January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'), A) }, [A].
directive(c, S, D) --> { phrase(time_text(`%a %b %e %H:%M:%S %Y`, S, D), L) }, items(L).
directive('C', _, D) --> { arg(1, D, Y), C is Y // 100 }, pad(2, C).
directive(d, _, D) --> { arg(3, D, V) }, pad(2, V).
directive('D', S, D) --> { phrase(time_text(`%m/%d/%y`, S, D), L) }, items(L).
directive(e, _, D) --> { arg(3, D, V) }, blank(2, V).
directive('F', S, D) --> { phrase(time_text(`%Y-%m-%d`, S, D), L) }, items(L).
directive(f, _, D) --> fraction(6, D).
directive(g, _, D) --> { iso_week(D, Y, _), V is Y mod 100 }, pad(2, V).
directive('G', _, D) --> { iso_week(D, Y, _) }, [Y].
directive('V', _, D) --> { iso_week(D, _, W) }, pad(2, W).
directive('H', _, D) --> { arg(4, D, V) }, pad(2, V).
directive('I', _, D) --> { arg(4, D, H), V is (H + 11) mod 12 + 1 }, pad(2, V).
directive(j, _, D) --> { D =.. [_, Y, M, Dd|_], day_of_the_year(date(Y, M, Dd), V) }, pad(3, V).
directive(k, _, D) --> { arg(4, D, V) }, blank(2, V).
directive(l, _, D) --> { arg(4, D, H), V is (H + 11) mod 12 + 1 }, blank(2, V).
directive(m, _, D) --> { arg(2, D, V) }, pad(2, V).
directive('M', _, D) --> { arg(5, D, V) }, pad(2, V).
directive(n, _, _) --> ['\n'].
directive(p, _, D) --> { arg(4, D, H), ( H < 12 -> A = 'AM' ; A = 'PM' ) }, [A].
directive('P', _, D) --> { arg(4, D, H), ( H < 12 -> A = am ; A = pm ) }, [A].
directive(r, S, D) --> { phrase(time_text(`%I:%M:%S %p`, S, D), L) }, items(L).
directive('R', S, D) --> { phrase(time_text(`%H:%M`, S, D), L) }, items(L).
directive(s, S, _) --> { V is floor(S) }, [V].
directive('S', _, D) --> { arg(6, D, S), V is floor(S) }, pad(2, V).
directive(t, _, _) --> ['\t'].
directive('T', S, D) --> { phrase(time_text(`%H:%M:%S`, S, D), L) }, items(L).
directive(u, _, D) --> { weekday(D, W) }, [W].
directive(w, _, D) --> { weekday(D, W), V is W mod 7 }, [V].
directive('U', _, D) --> { D =.. [_, Y, M, Dd|_], day_of_the_year(date(Y, M, Dd), N), weekday(D, W), V is (N - 1 + 7 - W mod 7) // 7 }, pad(2, V).
directive('W', _, D) --> { D =.. [_, Y, M, Dd|_], day_of_the_year(date(Y, M, Dd), N), weekday(D, W), V is (N - 1 + 7 - (W - 1)) // 7 }, pad(2, V).
directive(x, S, D) --> directive('D', S, D).
directive('X', S, D) --> directive('T', S, D).
directive(y, _, D) --> { arg(1, D, Y), V is Y mod 100 }, pad(2, V).
directive('Y', _, D) --> { arg(1, D, Y) }, [Y].
directive(z, _, D) --> { arg(7, D, Off), A is abs(Off), H is A // 3600, M is A mod 3600 // 60, ( Off =< 0 -> S = + ; S = - ) }, [S], pad(2, H), pad(2, M).
directive(:, _, D) --> { arg(7, D, Off), A is abs(Off), H is A // 3600, M is A mod 3600 // 60, ( Off =< 0 -> S = + ; S = - ) }, [S], pad(2, H), [:], pad(2, M).
directive('Z', _, D) --> { arg(8, D, Z0), ( Z0 == (-) -> Z = 'UTC' ; Z = Z0 ) }, [Z].
directive(+, S, D) --> { phrase(time_text(`%a %b %e %H:%M:%S %Y`, S, D), L) }, items(L).
directive('%', _, _) --> ['%'].
items([]) --> [].
items([X|Xs]) --> [X], items(Xs).
iso_week(D, Y, W) :-
    D =.. [_, Y0, M, Dd|_], day_of_the_year(date(Y0, M, Dd), N), weekday(D, Wd),
    W0 is (N - Wd + 10) // 7,
    ( W0 < 1 -> Y is Y0 - 1, weeks(Y, W) ; weeks(Y0, Most), W0 > Most -> Y is Y0 + 1, W = 1 ; Y = Y0, W = W0 ).
weeks(Y, W) :- day_of_the_week(date(Y, 1, 1), A), day_of_the_week(date(Y, 12, 31), B), ( ( A =:= 4 ; B =:= 4 ) -> W = 53 ; W = 52 ).

% -- reading: ISO 8601 and RFC 1123

parse_time(Text, Stamp) :- parse_time(Text, _, Stamp).
parse_time(Text, Format, Stamp) :- atom_codes(Text, Cs), moment_of(Format, Date, Cs, []), !, date_time_stamp(Date, Stamp).
moment_of(iso_8601, date(Y, M, D, H, Mn, S, Off, -, -)) --> iso_date(Y, M, D), ( "T" ; " " ), !, iso_time(H, Mn, S), offset(Off).
moment_of(iso_8601, date(Y, M, D, 0, 0, 0, 0, -, -)) --> iso_date(Y, M, D).
moment_of(rfc_1123, date(Y, M, D, H, Mn, S, Off, -, -)) -->
    letters(_), ", ", number_of(D), " ", letters(Mc), { month(Mc, M) }, " ", number_of(Y), " ", two(H), ":", two(Mn), ":", two(S), " ", ( "GMT", { Off = 0 } ; offset(Off) ).
iso_date(Y, M, D) --> four(Y), "-", two(M), "-", two(D), !.
iso_date(Y, M, D) --> four(Y), two(M), two(D), !.
iso_time(H, Mn, S) --> two(H), ":", two(Mn), !, ( ":", two(S0), !, decimals(S0, S) ; { S = 0 } ).
iso_time(H, Mn, S) --> two(H), two(Mn), ( two(S0), !, decimals(S0, S) ; { S = 0 } ).
decimals(S0, S) --> ".", digits_(Ds), { Ds = [_|_], !, append(`0.`, Ds, Cs), number_codes(F, Cs), S is S0 + F }.
decimals(S, S) --> [].
offset(0) --> "Z", !.
offset(Off) --> ( "+", { Sign = -1 } ; "-", { Sign = 1 } ), !, two(H), ( ":" ; [] ), ( two(M), ! ; { M = 0 } ), { Off is Sign * (H * 3600 + M * 60) }.
offset(0) --> [].
two(N) --> [A, B], { digit(A, X), digit(B, Y), N is X * 10 + Y }.
four(N) --> two(A), two(B), { N is A * 100 + B }.
number_of(N) --> digits_(Ds), { Ds = [_|_], number_codes(N, Ds) }.
digits_([D|Ds]) --> [D], { digit(D, _) }, !, digits_(Ds).
digits_([]) --> [].
digit(C, D) :- C >= 0'0, C =< 0'9, D is C - 0'0.
letters([C|Cs]) --> [C], { code_type(C, alpha) }, !, letters(Cs).
letters([]) --> [].
month(Cs, M) :- atom_codes(A, Cs), nth1(M, ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'], A), !.
