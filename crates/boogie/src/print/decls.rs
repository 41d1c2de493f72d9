//! Declarations.

use super::{Bodies, Printer};
use crate::ast::*;
use crate::program::*;

impl Printer<'_> {
    pub(super) fn decl(&mut self, decl: Decl) {
        let program = self.program;
        self.out.indent(0);
        match decl {
            Decl::TypeCtor(id) => {
                let ctor = &program.type_ctors[id];
                self.out.write("type ");
                self.attributes(&ctor.attrs);
                self.name(ctor.name);
                for _ in &ctor.params {
                    self.out.write(" _");
                }
                self.out.line(";");
            }
            Decl::Synonym(id) => {
                let synonym = &program.synonyms[id];
                self.out.write("type ");
                self.attributes(&synonym.attrs);
                self.name(synonym.name);
                for &param in &synonym.params {
                    self.out.write(" ");
                    self.name(program.type_vars[param].name);
                }
                self.out.write(" = ");
                self.type_expr(synonym.body, 0);
                self.out.line(";");
            }
            Decl::Function(id) => self.function(id),
            Decl::Constant(id) => self.constant(id),
            Decl::Global(var) => {
                self.out.write("var ");
                self.typed_ident(var, true);
                self.out.line(";");
            }
            Decl::Axiom(id) => {
                let axiom = &program.axioms[id];
                self.out.write("axiom ");
                self.attributes(&axiom.attrs);
                self.expr(axiom.expr, 0, false);
                self.out.line(";");
            }
            Decl::Procedure(id) => self.procedure(id),
            Decl::Implementation(id) => self.implementation(id),
        }
    }

    fn constant(&mut self, id: ConstId) {
        let constant = &self.program.consts[id];
        self.out.write("const ");
        self.attributes(&self.program.vars[constant.var].attrs);
        if constant.unique {
            self.out.write("unique ");
        }
        self.typed_ident(constant.var, false);
        if let Some(parents) = &constant.parents {
            self.out.write(" extends");
            for (i, parent) in parents.iter().enumerate() {
                self.out.write(if i == 0 { " " } else { ", " });
                if parent.unique {
                    self.out.write("unique ");
                }
                self.expr(parent.parent, 0, false);
            }
            if constant.complete {
                self.out.write(" complete");
            }
        }
        self.out.line(";");
    }

    fn function(&mut self, id: FuncId) {
        let function = &self.program.funcs[id];
        self.out.write("function ");
        self.attributes(&function.attrs);
        self.name(function.name);
        self.type_params(&function.type_params);
        self.out.write("(");
        let opened = self.out.push(None);
        self.typed_idents(&function.ins);
        self.out.write(")");
        self.out.separate();
        self.out.write(" : ");
        if let Some(ty) = self.program.vars[function.out].type_expr {
            self.type_expr(ty, 0);
        }
        self.out.pop(opened);
        match function.body {
            Some(body) => {
                self.out.line("");
                self.out.line("{");
                self.out.indent(1);
                self.expr(body, 0, false);
                self.out.line("");
                self.out.line("}");
            }
            None => self.out.line(";"),
        }
    }

    fn signature(&mut self, type_params: &[TypeVarId], ins: &[VarId], outs: &[VarId]) {
        self.type_params(type_params);
        self.out.write("(");
        let opened = self.out.push(None);
        self.typed_idents(ins);
        self.out.write(")");
        self.out.separate();
        if !outs.is_empty() {
            self.out.write(" returns (");
            self.typed_idents(outs);
            self.out.write(")");
        }
        self.out.pop(opened);
    }

    pub(super) fn procedure(&mut self, id: ProcId) {
        let proc = &self.program.procs[id];
        self.out.write(if proc.is_pure {
            "pure procedure "
        } else {
            "procedure "
        });
        self.attributes(&proc.attrs);
        self.name(proc.name);
        self.signature(&proc.type_params, &proc.ins, &proc.outs);
        self.out.line(";");
        self.specs(&proc.requires, "requires ");
        if !proc.modifies.is_empty() {
            self.out.indent(1);
            self.out.write("modifies ");
            self.exprs(&proc.modifies);
            self.out.line(";");
        }
        self.specs(&proc.ensures, "ensures ");
        self.out.line("");
        self.out.line("");
    }

    fn specs(&mut self, specs: &[Spec], keyword: &str) {
        for spec in specs {
            self.out.indent(1);
            if spec.free {
                self.out.write("free ");
            }
            self.out.write(keyword);
            self.attributes(&spec.attrs);
            self.expr(spec.expr, 0, false);
            self.out.line(";");
        }
    }

    pub(super) fn implementation(&mut self, id: ImplId) {
        let implementation = &self.program.impls[id];
        self.out.write("implementation ");
        self.attributes(&implementation.attrs);
        self.name(implementation.name);
        self.signature(
            &implementation.type_params,
            &implementation.ins,
            &implementation.outs,
        );
        self.out.line("");
        self.out.line("{");
        for &local in &implementation.locals {
            self.out.indent(1);
            self.out.write("var ");
            self.typed_ident(local, true);
            self.out.line(";");
        }
        let bodies = self.options.bodies;
        if bodies != Bodies::Blocks {
            if !implementation.locals.is_empty() {
                self.out.line("");
            }
            if bodies == Bodies::Both {
                self.out.line_at(1, "/*** structured program:");
            }
            self.stmt_list(1, implementation.body);
            if bodies == Bodies::Both {
                self.out.line_at(1, "**** end structured program */");
            }
        }
        if bodies != Bodies::Structured {
            for block in &implementation.blocks {
                let key = (id, block.label);
                self.block(1, block, self.program.cut_points.contains(&key));
            }
        }
        self.out.line("}");
        self.out.line("");
        self.out.line("");
    }
}
