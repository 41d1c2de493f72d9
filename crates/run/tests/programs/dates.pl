% Points of time.
:- use_module(library(date)).
main :-
  stamp_date_time(0, D, 'UTC'), writeln(D), stamp_date_time(1700000000.5, D2, 'UTC'), print(D2), nl,
  date_time_stamp(date(2024,2,29,12,30,15.25,0,-,-), S), print(S), nl,
  date_time_stamp(date(2024,13,1,0,0,0,0,-,-), S1), print(S1), nl,
  date_time_stamp(date(2024,2,30), S2), print(S2), nl,
  forall(member(F,['%Y-%m-%d','%F %T','%a %A %b %B %d %e %j %H %I %p %M %S %y %C %u %w %U %W %V %G','%FT%T%:z','%D','%R','%c','%s','%3f','%%','%Z %z', '%k|%l|%e', '%d %b %Y %T GMT']), (format_time(atom(A),F,1709209815.25), writeln(A))),
  parse_time('2024-02-29T12:30:15Z', T), print(T), nl, parse_time('2024-02-29', iso_8601, T2), print(T2), nl, parse_time('2024-02-29T12:30:15+02:00', T3), print(T3), nl,
  parse_time('Thu, 29 Feb 2024 12:30:15 GMT', Fm, T4), print(Fm-T4), nl,
  day_of_the_week(date(2024,2,29), W), writeln(W), day_of_the_year(date(2024,12,31),N), writeln(N),
  date_time_value(year, D2, Y), writeln(Y), date_time_value(date, D2, DD), writeln(DD),
  forall(date_time_value(K, D2, V), (print(K=V),nl)),
  format_time(string(St), "%d/%m/%Y", date(2020,1,2,3,4,5.0,0,'UTC',-)), print(St), nl,
  format_time(user_output, '%H:%M~n', 3600), nl.
