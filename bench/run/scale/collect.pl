% All solutions, sorted and grouped.
main :- findall(K-V, ( between(1, 300000, V), K is V mod 997 ), L), keysort(L, S), length(S, 300000),
    msort(L, M), length(M, _), sort(0, @>=, L, D), length(D, _),
    setof(K, V^member(K-V, L), Ks), length(Ks, 997), aggregate_all(count, member(_, L), C), C == 300000,
    aggregate_all(max(V), member(_-V, L), Mx), Mx == 300000.
