// How often the definition of a recursive function may still be used.
type $Layer;
const $LZ: $Layer;
function $LS(ly: $Layer): $Layer;
// Layers are all alike: no value depends on them. So there may be more of them when a check is looked at for a second time.
const $LO: $Layer;
axiom {:second} $LZ == $LS($LS($LS($LS($LS($LS($LS($LS($LO))))))));
