// How often the definition of a recursive function may still be used.
type $Layer;
const $LZ: $Layer;
function $LS(ly: $Layer): $Layer;
