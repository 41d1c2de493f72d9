% Directed graphs as ordered lists of Vertex-Neighbours, neighbours ordered.

:- module(ugraphs,
          [ vertices_edges_to_ugraph/3, vertices/2, edges/2, add_vertices/3,
            del_vertices/3, add_edges/3, del_edges/3, transpose_ugraph/2,
            neighbours/3, neighbors/3, connect_ugraph/3, compose/3,
            complement/2, top_sort/2, transitive_closure/2, reachable/3,
            ugraph_union/3, ugraph_layers/2
          ]).

:- use_module(library(ordsets)).

vertices_edges_to_ugraph(Vertices, Edges, Graph) :-
    edge_ends(Edges, Ends),
    append_(Vertices, Ends, All),
    sort(All, Sorted),
    sort(Edges, SortedEdges),
    group_edges(Sorted, SortedEdges, Graph).

edge_ends([], []).
edge_ends([A-B|T], [A,B|R]) :-
    edge_ends(T, R).

append_([], L, L).
append_([H|T], L, [H|R]) :-
    append_(T, L, R).

group_edges([], _, []).
group_edges([V|Vs], Edges, [V-Ns|G]) :-
    edges_of(Edges, V, Ns, Rest),
    group_edges(Vs, Rest, G).

edges_of([A-B|T], V, Ns, Rest) :-
    A == V, !,
    Ns = [B|Ns1],
    edges_of(T, V, Ns1, Rest).
edges_of(Edges, _, [], Edges).

vertices([], []).
vertices([V-_|T], [V|R]) :-
    vertices(T, R).

edges(Graph, Edges) :-
    edges_(Graph, Edges).

edges_([], []).
edges_([V-Ns|T], Edges) :-
    edges_from(Ns, V, Edges, More),
    edges_(T, More).

edges_from([], _, L, L).
edges_from([N|Ns], V, [V-N|L], Rest) :-
    edges_from(Ns, V, L, Rest).

add_vertices(Graph, Vertices, NewGraph) :-
    empty_nodes(Vertices, Nodes),
    sort(Nodes, Sorted),
    ugraph_union(Graph, Sorted, NewGraph).

empty_nodes([], []).
empty_nodes([V|Vs], [V-[]|R]) :-
    empty_nodes(Vs, R).

del_vertices(Graph, Vertices, NewGraph) :-
    sort(Vertices, Gone),
    del_vertices_(Graph, Gone, NewGraph).

del_vertices_([], _, []).
del_vertices_([V-Ns|T], Gone, New) :-
    (   ord_memberchk(V, Gone)
    ->  New = R
    ;   ord_subtract(Ns, Gone, Ns1),
        New = [V-Ns1|R]
    ),
    del_vertices_(T, Gone, R).

add_edges(Graph, Edges, NewGraph) :-
    vertices_edges_to_ugraph([], Edges, G1),
    ugraph_union(Graph, G1, NewGraph).

del_edges(Graph, Edges, NewGraph) :-
    vertices_edges_to_ugraph([], Edges, G1),
    graph_subtract(Graph, G1, NewGraph).

graph_subtract([], _, []).
graph_subtract([V-Ns|T], G, [V-Ns2|R]) :-
    (   neighbours_of(G, V, Ns1)
    ->  ord_subtract(Ns, Ns1, Ns2)
    ;   Ns2 = Ns
    ),
    graph_subtract(T, G, R).

ugraph_union([], G, G).
ugraph_union([V-Ns|T], G2, G) :-
    ugraph_union_(G2, V, Ns, T, G).

ugraph_union_([], V, Ns, T, [V-Ns|T]).
ugraph_union_([V2-Ns2|T2], V1, Ns1, T1, G) :-
    compare(Order, V1, V2),
    ugraph_union_(Order, V1, Ns1, T1, V2, Ns2, T2, G).

ugraph_union_(<, V1, Ns1, T1, V2, Ns2, T2, [V1-Ns1|G]) :-
    ugraph_union_(T1, V2, Ns2, T2, G).
ugraph_union_(=, V1, Ns1, T1, _, Ns2, T2, [V1-Ns|G]) :-
    ord_union(Ns1, Ns2, Ns),
    ugraph_union(T1, T2, G).
ugraph_union_(>, V1, Ns1, T1, V2, Ns2, T2, [V2-Ns2|G]) :-
    ugraph_union_(T2, V1, Ns1, T1, G).

neighbours(V, Graph, Ns) :-
    neighbours_of(Graph, V, Ns).
neighbors(V, Graph, Ns) :-
    neighbours_of(Graph, V, Ns).

neighbours_of([V0-Ns0|T], V, Ns) :-
    (   V0 == V
    ->  Ns = Ns0
    ;   neighbours_of(T, V, Ns)
    ).

transpose_ugraph(Graph, Transposed) :-
    edges(Graph, Edges),
    vertices(Graph, Vertices),
    flip_edges(Edges, Flipped),
    vertices_edges_to_ugraph(Vertices, Flipped, Transposed).

flip_edges([], []).
flip_edges([A-B|T], [B-A|R]) :-
    flip_edges(T, R).

% compose(+G1, +G2, -G): x->z whenever x->y in G1 and y->z in G2.
compose(G1, G2, Composition) :-
    vertices(G1, V1),
    vertices(G2, V2),
    ord_union(V1, V2, V),
    compose_(V, G1, G2, Composition).

compose_([], _, _, []).
compose_([V|Vs], G1, G2, [V-Ns|G]) :-
    (   neighbours_of(G1, V, Mid) -> true ; Mid = [] ),
    all_neighbours(Mid, G2, Sets),
    ord_union(Sets, Ns),
    compose_(Vs, G1, G2, G).

all_neighbours([], _, []).
all_neighbours([V|Vs], G, [Ns|R]) :-
    (   neighbours_of(G, V, Ns0) -> Ns = Ns0 ; Ns = [] ),
    all_neighbours(Vs, G, R).

complement(Graph, Complement) :-
    vertices(Graph, Vertices),
    complement_(Graph, Vertices, Complement).

complement_([], _, []).
complement_([V-Ns|T], Vertices, [V-Cs|R]) :-
    ord_add_element(Ns, V, Ns1),
    ord_subtract(Vertices, Ns1, Cs),
    complement_(T, Vertices, R).

% top_sort(+Graph, -Order): fails if there is a cycle.
top_sort(Graph, Order) :-
    in_degrees(Graph, Degrees),
    zero_vertices(Degrees, Zeros, Positive),
    length(Graph, N),
    top_sort_(Zeros, Positive, Graph, 0, N, Order).

in_degrees(Graph, Degrees) :-
    vertices(Graph, Vertices),
    edges(Graph, Edges),
    targets(Edges, Targets),
    msort(Targets, Sorted),
    count_targets(Vertices, Sorted, Degrees).

targets([], []).
targets([_-B|T], [B|R]) :-
    targets(T, R).

count_targets([], _, []).
count_targets([V|Vs], Targets, [V-N|R]) :-
    count_same(Targets, V, 0, N, Rest),
    count_targets(Vs, Rest, R).

count_same([H|T], V, N0, N, Rest) :-
    H == V, !,
    N1 is N0+1,
    count_same(T, V, N1, N, Rest).
count_same(L, _, N, N, L).

zero_vertices([], [], []).
zero_vertices([V-N|T], Zeros, Positive) :-
    (   N =:= 0
    ->  Zeros = [V|Z1], Positive = P1
    ;   Zeros = Z1, Positive = [V-N|P1]
    ),
    zero_vertices(T, Z1, P1).

top_sort_([], Positive, _, Done, N, []) :-
    Positive == [],
    Done =:= N.
top_sort_([V|Zeros], Positive, Graph, Done, N, [V|Order]) :-
    neighbours_of(Graph, V, Ns),
    decrease(Positive, Ns, NewZeros, Positive1),
    append_(NewZeros, Zeros, Zeros1),
    Done1 is Done+1,
    top_sort_(Zeros1, Positive1, Graph, Done1, N, Order).

decrease([], _, [], []).
decrease([V-N|T], Ns, Zeros, Positive) :-
    (   ord_memberchk(V, Ns)
    ->  N1 is N-1,
        (   N1 =:= 0
        ->  Zeros = [V|Z1], Positive = P1
        ;   Zeros = Z1, Positive = [V-N1|P1]
        )
    ;   Zeros = Z1, Positive = [V-N|P1]
    ),
    decrease(T, Ns, Z1, P1).

transitive_closure(Graph, Closure) :-
    warshall(Graph, Graph, Closure).

warshall([], Closure, Closure).
warshall([V-_|G], Closure0, Closure) :-
    neighbours_of(Closure0, V, Y),
    warshall_step(Closure0, V, Y, Closure1),
    warshall(G, Closure1, Closure).

warshall_step([], _, _, []).
warshall_step([X-Ns|G], V, Y, [X-NewNs|NewG]) :-
    (   ord_memberchk(V, Ns)
    ->  ord_union(Ns, Y, NewNs)
    ;   NewNs = Ns
    ),
    warshall_step(G, V, Y, NewG).

reachable(V, Graph, Reachable) :-
    reachable_([V], Graph, [V], Reachable).

reachable_([], _, Reach, Reach).
reachable_([V|Vs], Graph, Reach0, Reach) :-
    (   neighbours_of(Graph, V, Ns)
    ->  ord_union(Reach0, Ns, Reach1, New)
    ;   Reach1 = Reach0, New = []
    ),
    append_(Vs, New, Vs1),
    reachable_(Vs1, Graph, Reach1, Reach).

% connect_ugraph(+Graph, -Start, -Connected): a new first vertex that reaches
% every vertex without incoming edges.
connect_ugraph([], 0, []) :- !.
connect_ugraph(Graph, Start, [Start-Vertices|Graph]) :-
    in_degrees(Graph, Degrees),
    zero_vertices(Degrees, Vertices, _),
    Graph = [First-_|_],
    before(First, Start).

before(X, Start) :-
    (   integer(X)
    ->  Start is X-1
    ;   Start = 0
    ).

ugraph_layers(Graph, Layers) :-
    in_degrees(Graph, Degrees),
    layers(Degrees, Graph, Layers).

layers([], _, []) :- !.
layers(Degrees, Graph, [Zeros|Layers]) :-
    zero_vertices(Degrees, Zeros, Positive),
    Zeros \== [],
    lower_all(Zeros, Graph, Positive, Degrees1),
    layers(Degrees1, Graph, Layers).

lower_all([], _, D, D).
lower_all([V|Vs], Graph, D0, D) :-
    neighbours_of(Graph, V, Ns),
    lower(D0, Ns, D1),
    lower_all(Vs, Graph, D1, D).

lower([], _, []).
lower([V-N|T], Ns, [V-N1|R]) :-
    (   ord_memberchk(V, Ns)
    ->  N1 is N-1
    ;   N1 = N
    ),
    lower(T, Ns, R).
