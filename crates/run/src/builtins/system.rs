//! Time, statistics, garbage collection, the environment, files, stopping.

use crate::cell::Cell;
use crate::errors::PErr;
use crate::host::HostError;
use crate::machine::{Machine, Res};
use stet_prolog::atom;

pub(super) fn register(m: &mut Machine) {
    m.register("$halt", 1, |m| {
        let cell = m.arg(0);
        let code = m.mem.int_of(cell)?;
        Err(PErr::Halt(code as i32))
    });
    m.register("$statistics", 2, statistics);
    m.register("garbage_collect", 0, |m| {
        // The next call collects: registers and environments are known there.
        m.mem.gc_threshold = 0;
        m.mem.soft_limit = 0;
        Ok(true)
    });
    m.register("garbage_collect_atoms", 0, |_| Ok(true));
    m.register("getenv", 2, |m| {
        let name = m.text_arg(0)?;
        match m.io.host.variable(&name) {
            Some(value) => {
                let cell = m.mem.atom_cell(&value);
                m.unify_result(m.control.x[1], cell)
            }
            None => Ok(false),
        }
    });
    m.register("get_time", 1, |m| {
        let time = m.io.host.wall_time();
        let cell = m.mem.new_float(time);
        m.unify_result(m.control.x[0], cell)
    });
    m.register("exists_file", 1, |m| {
        let path = m.text_arg(0)?;
        Ok(m.io.host.file_exists(&path))
    });
    m.register("exists_directory", 1, |m| {
        let path = m.text_arg(0)?;
        Ok(m.io.host.directory_exists(&path))
    });
    m.register("delete_file", 1, |m| {
        let path = m.text_arg(0)?;
        match m.io.host.delete_file(&path) {
            Ok(()) => Ok(true),
            Err(error) => {
                let cell = m.arg(0);
                Err(match error {
                    HostError::Missing => m.mem.existence_error(atom::FILE, cell),
                    _ => m.mem.permission_error(atom::DELETE, atom::FILE, cell),
                })
            }
        }
    });
    m.register("$directory", 1, |m| {
        let directory = m.io.host.directory();
        let cell = m.mem.atom_cell(&directory);
        m.unify_result(m.control.x[0], cell)
    });
    m.register("$arguments", 1, |m| {
        let arguments = m.config.arguments.clone();
        let cells: Vec<Cell> = arguments.iter().map(|text| m.mem.atom_cell(text)).collect();
        let list = m.new_proper_list(&cells)?;
        m.unify_result(m.control.x[0], list)
    });
    m.register("$time_limit", 2, |m| {
        let seconds = m.arg(0);
        let seconds = m.mem.float_value(seconds);
        let limit = std::time::Duration::try_from_secs_f64(seconds);
        let depth = Cell::small(m.control.time_limits.len() as i64);
        let outer = m.config.budget.clone();
        if let Ok(limit) = limit {
            m.config.budget = outer.limited_to(limit);
        }
        m.control.time_limits.push(outer);
        m.unify_result(m.control.x[1], depth)
    });
    m.register("$time_limit_over", 1, |m| {
        let depth = m.int_arg(0)?.max(0) as usize;
        if let Some(outer) = m
            .control
            .time_limits
            .drain(depth.min(m.control.time_limits.len())..)
            .next()
        {
            m.config.budget = outer;
        }
        Ok(true)
    });
    m.register("prompt", 2, |_| Ok(true));
    m.register("style_check", 1, |_| Ok(true));
    m.register("$set_gc_stress", 1, |m| {
        let n = m.int_arg(0)?;
        m.config.gc_stress = n.clamp(0, i64::from(u32::MAX)) as u32;
        m.mem.gc_countdown = m.config.gc_stress;
        m.mem.soft_limit = 0;
        Ok(true)
    });
}

/// `'$statistics'(Key, Value)`: one number.
fn statistics(m: &mut Machine) -> Res {
    let key = m.atom_arg(0)?;
    let text = m.mem.atom_text(key).to_owned();
    let milliseconds = |seconds: f64| Cell::small((seconds * 1000.0) as i64);
    let value = match text.as_str() {
        "runtime" | "process_cputime" | "system_time" => milliseconds(m.io.host.cpu_time()),
        "cputime" => {
            let time = m.io.host.cpu_time();
            m.mem.new_float(time)
        }
        "walltime" | "real_time" => milliseconds(m.io.host.wall_time()),
        "inferences" => Cell::small(m.stats().inferences as i64),
        "globalused" | "heapused" | "global" => Cell::small(m.mem.h as i64 * 8),
        "localused" | "local" => Cell::small(m.env_top() as i64 * 8),
        "trailused" | "trail" => Cell::small(m.mem.tr as i64 * 8),
        "choiceused" => Cell::small(m.choice_top() as i64 * 8),
        "memory" => {
            let words = m.mem.h + m.env_top() + m.mem.tr + m.choice_top() + m.program.db.code_top;
            Cell::small(words as i64 * 8)
        }
        "atoms" => Cell::small(m.mem.atoms.count() as i64),
        "collections" | "garbage_collection" => Cell::small(m.watch.stats.collections as i64),
        "collected" => Cell::small(m.watch.stats.collected_words as i64 * 8),
        "codes" => Cell::small(m.program.db.code_top as i64),
        _ => {
            let domain = m.mem.atoms.intern("statistics_key");
            return Err(m.mem.domain_error(domain, Cell::atom(key)));
        }
    };
    let _ = atom::NIL;
    m.unify_result(m.control.x[1], value)
}
