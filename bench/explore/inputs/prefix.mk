A = one
B = two
C = three
X := $($(S))
ab: ; @:
