//! `{:fuel}`: how often the definition of a recursive function may be used, where the user asks for more than usual.
//!
//! `function {:fuel low, high} F`, and `{:fuel F, low, high}` on a member or an assertion. A layer more never changes the value
//! of a function, so more layers than are needed only cost time; less than usual is not followed.

use crate::cx::Cx;
use crate::tree::{B, app};
use stet_dafny::tree::{Attribute, ExprId, ExprKind, MemberId};

/// More layers than this are not given.
const MOST: u32 = 16;

/// Functions with the layers that calls of them get besides the usual one.
pub(crate) type Fuels = Vec<(MemberId, u32)>;

impl Cx<'_> {
    /// A layer for a call of a function, with what the user asks for.
    pub(crate) fn fuelled(&self, member: MemberId, mut layer: B) -> B {
        for _ in 0..self.extra_layers(member) {
            layer = app("$LS", vec![layer]);
        }
        layer
    }

    fn extra_layers(&self, member: MemberId) -> u32 {
        let here = self.fuels.iter().rev().find(|(m, _)| *m == member);
        if let Some(&(_, extra)) = here {
            return extra;
        }
        let attributes = self.p.members[member].attributes.iter();
        let mut own = attributes.filter(|a| self.p.text(a.name) == "fuel");
        own.find_map(|a| self.layers(a.args.first().copied()))
            .unwrap_or(0)
    }

    /// Translates something under the `{:fuel F, …}` of these attributes.
    pub(crate) fn with_fuel_of<R>(
        &mut self,
        attributes: &[Attribute],
        work: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let outer = self.fuels.len();
        for attribute in attributes {
            if self.p.text(attribute.name) != "fuel" {
                continue;
            }
            if let [function, low, ..] = attribute.args[..]
                && let ExprKind::FunctionValue { function, .. } = self.p.exprs[function].kind
                && let Some(extra) = self.layers(Some(low))
            {
                self.fuels.push((function, extra));
            }
        }
        let done = work(self);
        self.fuels.truncate(outer);
        done
    }

    /// The layers besides the usual one that a literal asks for.
    fn layers(&self, arg: Option<ExprId>) -> Option<u32> {
        match &self.p.exprs[arg?].kind {
            ExprKind::Int(n) => Some(u32::try_from(n).unwrap_or(MOST).min(MOST).saturating_sub(1)),
            _ => None,
        }
    }
}
