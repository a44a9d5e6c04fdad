//! Questions as SMT-LIB 2 text: bit vectors, and the standard's floats for float arithmetic.

use std::fmt::Write as _;

use borges_vm::ValType;
use borges_vm::num::{F32_NAN, F64_NAN, NumericOp as N};
use hashbrown::HashSet;

use super::Query;
use crate::dag::{Dag, Expr, Node};
use crate::set::{Set, greatest};

/// A question's declarations and assertions. Inputs are called `i0`, `i1`, … by their places.
pub(crate) fn assertions(query: &Query<'_>) -> String {
    let roots: Vec<Expr> = query.constraints.iter().map(|c| c.expr).collect();
    let cone = query.dag.cone(&roots);
    let mut text = String::new();
    for variable in query.variables {
        let name = format!("i{}", variable.place);
        line(
            &mut text,
            &format!("(declare-const {name} {})", bits(variable.ty)),
        );
        let inside = member(&name, variable.ty, variable.domain);
        line(&mut text, &format!("(assert {inside})"));
    }
    let mut writer = Writer {
        dag: query.dag,
        bits_wanted: bits_wanted(query.dag, &cone, &roots),
        declared: text,
        named: String::new(),
        names: 0,
        facts: String::new(),
    };
    for expr in &cone {
        writer.define(*expr);
    }
    for constraint in query.constraints {
        let name = format!("e{}", constraint.expr.0);
        let inside = member(&name, query.dag.ty(constraint.expr), &constraint.allowed);
        line(&mut writer.facts, &inside);
    }
    writer.whole()
}

fn line(text: &mut String, part: &str) {
    text.push_str(part);
    text.push('\n');
}

fn is_float(ty: ValType) -> bool {
    matches!(ty, ValType::F32 | ValType::F64)
}

fn width(ty: ValType) -> u32 {
    if greatest(ty) == u64::from(u32::MAX) {
        32
    } else {
        64
    }
}

/// The sort of a type's bits.
fn bits(ty: ValType) -> &'static str {
    match width(ty) {
        32 => "(_ BitVec 32)",
        _ => "(_ BitVec 64)",
    }
}

/// The name of the conversion to a type's floats.
fn to_float(ty: ValType) -> &'static str {
    match ty {
        ValType::F32 => "(_ to_fp 8 24)",
        _ => "(_ to_fp 11 53)",
    }
}

fn constant(ty: ValType, cell: u64) -> String {
    match width(ty) {
        32 => format!("#x{:08x}", cell as u32),
        _ => format!("#x{cell:016x}"),
    }
}

/// A float constant by its value.
fn float_constant(ty: ValType, value: f64) -> String {
    let cell = match ty {
        ValType::F32 => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    };
    format!("({} {})", to_float(ty), constant(ty, cell))
}

/// That a value is in a set.
fn member(name: &str, ty: ValType, set: &Set) -> String {
    let outside = set.complement(ty);
    if outside.intervals().len() < set.intervals().len() {
        return format!("(not {})", member_of(name, ty, &outside));
    }
    member_of(name, ty, set)
}

fn member_of(name: &str, ty: ValType, set: &Set) -> String {
    let mut text = String::from("(or false");
    for (low, high) in set.intervals() {
        let (low, high) = (*low, (*high).min(greatest(ty)));
        let _ = match (low == high, low == 0, high == greatest(ty)) {
            (true, ..) => write!(text, " (= {name} {})", constant(ty, low)),
            (_, true, true) => write!(text, " true"),
            (_, true, _) => write!(text, " (bvule {name} {})", constant(ty, high)),
            (_, _, true) => write!(text, " (bvuge {name} {})", constant(ty, low)),
            _ => write!(
                text,
                " (and (bvuge {name} {}) (bvule {name} {}))",
                constant(ty, low),
                constant(ty, high)
            ),
        };
    }
    text.push(')');
    text
}

/// The floats whose bits are looked at: for the others the float itself will do.
fn bits_wanted(dag: &Dag, cone: &[Expr], roots: &[Expr]) -> HashSet<Expr> {
    let mut wanted: HashSet<Expr> = roots.iter().copied().collect();
    for expr in cone.iter().rev() {
        match dag.node(*expr) {
            Node::Unary(
                N::I32ReinterpretF32
                | N::I64ReinterpretF64
                | N::F32Abs
                | N::F32Neg
                | N::F64Abs
                | N::F64Neg,
                a,
            ) => {
                wanted.insert(a);
            }
            Node::Binary(N::F32Copysign | N::F64Copysign, a, b) => {
                wanted.extend([a, b]);
            }
            Node::Choose(_, a, b) if is_float(dag.ty(*expr)) && wanted.contains(expr) => {
                wanted.extend([a, b]);
            }
            Node::Lookup(..) if is_float(dag.ty(*expr)) => {
                dag.operands(*expr, &mut |operand| {
                    wanted.insert(operand);
                });
            }
            _ => {}
        }
    }
    wanted
}

struct Writer<'w> {
    dag: &'w Dag,
    bits_wanted: HashSet<Expr>,
    /// Declarations, and what holds of inputs.
    declared: String,
    /// What has names, each a `let` around all that follows. With `define-fun` Z3 puts the whole term in the place of each
    /// use anew: minutes for a table with four thousand entries, of which no interrupt frees it.
    named: String,
    names: usize,
    /// What holds of what has names.
    facts: String,
}

/// The name of an expression's bits.
fn e(expr: Expr) -> String {
    format!("e{}", expr.0)
}

/// The name of an expression's float.
fn f(expr: Expr) -> String {
    format!("f{}", expr.0)
}

impl Writer<'_> {
    /// The question: one assertion, inside all names.
    fn whole(self) -> String {
        let mut text = self.declared;
        text.push_str("(assert\n");
        text.push_str(&self.named);
        // `and` wants two.
        text.push_str("(and true\n");
        text.push_str(&self.facts);
        text.extend(std::iter::repeat_n(')', self.names + 2));
        text.push('\n');
        text
    }

    fn define(&mut self, expr: Expr) {
        let ty = self.dag.ty(expr);
        let from_bits = match self.dag.node(expr) {
            Node::Const(cell) => Some(constant(ty, cell)),
            Node::Input(place) => Some(format!("i{place}")),
            Node::Lookup(table, index) => Some(self.lookup(table, index)),
            Node::Choose(condition, yes, no) => {
                if is_float(ty) {
                    let chosen = self.choice(condition, &f(yes), &f(no));
                    self.define_as(&f(expr), &chosen);
                    if self.bits_wanted.contains(&expr) {
                        let chosen = self.choice(condition, &e(yes), &e(no));
                        self.define_as(&e(expr), &chosen);
                    }
                    return;
                }
                Some(self.choice(condition, &e(yes), &e(no)))
            }
            Node::Unary(op, a) => match by_sign(op, &e(a), "") {
                Some(term) => Some(term),
                None if is_float(ty) => {
                    let term = float_unary(op, a);
                    self.define_float(expr, ty, &term);
                    return;
                }
                None => Some(unary(self.dag, op, a)),
            },
            Node::Binary(op, a, b) => match by_sign(op, &e(a), &e(b)) {
                Some(term) => Some(term),
                None if is_float(ty) => {
                    let term = float_binary(op, &f(a), &f(b));
                    self.define_float(expr, ty, &term);
                    return;
                }
                None => Some(binary(op, a, b)),
            },
        };
        if let Some(term) = from_bits {
            self.define_as(&e(expr), &term);
            if is_float(ty) {
                let float = format!("({} {})", to_float(ty), e(expr));
                self.define_as(&f(expr), &float);
            }
        }
    }

    fn define_as(&mut self, name: &str, term: &str) {
        self.names += 1;
        line(&mut self.named, &format!("(let (({name} {term}))"));
    }

    /// A float that arithmetic gives. Its bits follow, as every NaN of arithmetic is the same.
    fn define_float(&mut self, expr: Expr, ty: ValType, term: &str) {
        self.define_as(&f(expr), term);
        if !self.bits_wanted.contains(&expr) {
            return;
        }
        let nan = match ty {
            ValType::F32 => u64::from(F32_NAN),
            _ => F64_NAN,
        };
        let (bits_name, float) = (e(expr), f(expr));
        line(
            &mut self.declared,
            &format!("(declare-const {bits_name} {})", bits(ty)),
        );
        let nan = constant(ty, nan);
        let facts = [
            format!("(= ({} {bits_name}) {float})", to_float(ty)),
            format!("(=> (fp.isNaN {float}) (= {bits_name} {nan}))"),
        ];
        facts.iter().for_each(|fact| line(&mut self.facts, fact));
    }

    fn choice(&self, condition: Expr, yes: &str, no: &str) -> String {
        let zero = constant(self.dag.ty(condition), 0);
        format!("(ite (= {} {zero}) {no} {yes})", e(condition))
    }

    /// A table as a tree of choices, which solvers like better than arrays.
    fn lookup(&self, table: u32, index: Expr) -> String {
        let table = self.dag.table(table);
        let ty = self.dag.ty(index);
        let mut parts: Vec<(u64, String)> = Vec::new();
        for (at, value) in (table.first..).zip(&table.values) {
            let name = e(*value);
            if parts.last().is_none_or(|(_, last)| *last != name) {
                parts.push((at, name));
            }
        }
        // From the leaves up: neighbours are joined until one is left.
        while parts.len() > 1 {
            let pairs = parts.chunks(2).map(|pair| match pair {
                [(start, low), (middle, high)] => {
                    let term = format!(
                        "(ite (bvult {} {}) {low} {high})",
                        e(index),
                        constant(ty, *middle)
                    );
                    (*start, term)
                }
                other => other[0].clone(),
            });
            parts = pairs.collect();
        }
        parts.pop().map_or(constant(ty, 0), |(_, term)| term)
    }
}

/// Instructions on floats that are but changes of the sign bit.
fn by_sign(op: N, a: &str, b: &str) -> Option<String> {
    let (sign, rest) = match op.result() {
        ValType::F32 => (
            constant(ValType::I32, 1 << 31),
            constant(ValType::I32, (1 << 31) - 1),
        ),
        _ => (
            constant(ValType::I64, 1 << 63),
            constant(ValType::I64, (1 << 63) - 1),
        ),
    };
    Some(match op {
        N::F32Abs | N::F64Abs => format!("(bvand {a} {rest})"),
        N::F32Neg | N::F64Neg => format!("(bvxor {a} {sign})"),
        N::F32Copysign | N::F64Copysign => {
            format!("(bvor (bvand {a} {rest}) (bvand {b} {sign}))")
        }
        N::F32ReinterpretI32 | N::F64ReinterpretI64 => a.to_owned(),
        _ => return None,
    })
}

fn float_unary(op: N, a: Expr) -> String {
    let (x, bits) = (f(a), e(a));
    let to = to_float(op.result());
    match op {
        N::F32Ceil | N::F64Ceil => format!("(fp.roundToIntegral RTP {x})"),
        N::F32Floor | N::F64Floor => format!("(fp.roundToIntegral RTN {x})"),
        N::F32Trunc | N::F64Trunc => format!("(fp.roundToIntegral RTZ {x})"),
        N::F32Nearest | N::F64Nearest => format!("(fp.roundToIntegral RNE {x})"),
        N::F32Sqrt | N::F64Sqrt => format!("(fp.sqrt RNE {x})"),
        N::F32DemoteF64 | N::F64PromoteF32 => format!("({to} RNE {x})"),
        N::F32ConvertI32U | N::F32ConvertI64U | N::F64ConvertI32U | N::F64ConvertI64U => {
            let to = to.replace("to_fp", "to_fp_unsigned");
            format!("({to} RNE {bits})")
        }
        _ => format!("({to} RNE {bits})"),
    }
}

fn float_binary(op: N, a: &str, b: &str) -> String {
    match op {
        N::F32Add | N::F64Add => format!("(fp.add RNE {a} {b})"),
        N::F32Sub | N::F64Sub => format!("(fp.sub RNE {a} {b})"),
        N::F32Mul | N::F64Mul => format!("(fp.mul RNE {a} {b})"),
        N::F32Div | N::F64Div => format!("(fp.div RNE {a} {b})"),
        // The standard leaves the sign of a zero open, WebAssembly does not.
        N::F32Min | N::F64Min => format!(
            "(ite (fp.isNaN {a}) {a} (ite (fp.isNaN {b}) {b} (ite (fp.lt {a} {b}) {a} (ite (fp.lt {b} {a}) {b} \
             (ite (fp.isNegative {a}) {a} {b})))))"
        ),
        _ => format!(
            "(ite (fp.isNaN {a}) {a} (ite (fp.isNaN {b}) {b} (ite (fp.lt {a} {b}) {b} (ite (fp.lt {b} {a}) {a} \
             (ite (fp.isNegative {a}) {b} {a})))))"
        ),
    }
}

/// Instructions of one operand that give integers.
fn unary(dag: &Dag, op: N, a: Expr) -> String {
    let (from, to) = (op.operands()[0], op.result());
    let x = e(a);
    let zero = constant(from, 0);
    match op {
        N::I32Eqz | N::I64Eqz => truth(&format!("(= {x} {zero})")),
        N::I32WrapI64 => format!("((_ extract 31 0) {x})"),
        N::I64ExtendI32S => format!("((_ sign_extend 32) {x})"),
        N::I64ExtendI32U => format!("((_ zero_extend 32) {x})"),
        N::I32Extend8S => format!("((_ sign_extend 24) ((_ extract 7 0) {x}))"),
        N::I32Extend16S => format!("((_ sign_extend 16) ((_ extract 15 0) {x}))"),
        N::I64Extend8S => format!("((_ sign_extend 56) ((_ extract 7 0) {x}))"),
        N::I64Extend16S => format!("((_ sign_extend 48) ((_ extract 15 0) {x}))"),
        N::I64Extend32S => format!("((_ sign_extend 32) ((_ extract 31 0) {x}))"),
        N::I32ReinterpretF32 | N::I64ReinterpretF64 => x,
        N::I32Clz | N::I64Clz => count(to, &x, true),
        N::I32Ctz | N::I64Ctz => count(to, &x, false),
        N::I32Popcnt | N::I64Popcnt => {
            let terms = (0..width(to)).map(|bit| {
                let extend = width(to) - 1;
                format!("((_ zero_extend {extend}) ((_ extract {bit} {bit}) {x}))")
            });
            terms
                .reduce(|a, b| format!("(bvadd {a} {b})"))
                .unwrap_or(zero)
        }
        _ => truncation(dag, op, a),
    }
}

/// The number of zeros before the first (or behind the last) bit that is set.
fn count(ty: ValType, x: &str, leading: bool) -> String {
    let bits = u64::from(width(ty));
    let mut term = constant(ty, bits);
    // The last choice that is put around decides first.
    for zeros in (0..bits).rev() {
        let bit = if leading { bits - 1 - zeros } else { zeros };
        term = format!(
            "(ite (= ((_ extract {bit} {bit}) {x}) #b1) {} {term})",
            constant(ty, zeros)
        );
    }
    term
}

/// A float as an integer. Where it does not fit, the saturating ones clamp, and the others end the path.
fn truncation(_dag: &Dag, op: N, a: Expr) -> String {
    let (from, to) = (op.operands()[0], op.result());
    let x = f(a);
    let name = op.name();
    let is_signed = name.ends_with("_s");
    let bits = width(to);
    let conversion = if is_signed { "fp.to_sbv" } else { "fp.to_ubv" };
    let plain = format!("((_ {conversion} {bits}) RTZ {x})");
    if !name.contains("sat") {
        return plain;
    }
    let top = 2_f64.powi(bits as i32 - i32::from(is_signed));
    let (low, least, most) = if is_signed {
        (-top, 1_u64 << (bits - 1), (1_u64 << (bits - 1)) - 1)
    } else {
        (0.0, 0, greatest(to))
    };
    format!(
        "(ite (fp.isNaN {x}) {} (ite (fp.leq {x} {}) {} (ite (fp.geq {x} {}) {} {plain})))",
        constant(to, 0),
        float_constant(from, low),
        constant(to, least),
        float_constant(from, top),
        constant(to, most),
    )
}

fn truth(condition: &str) -> String {
    format!("(ite {condition} #x00000001 #x00000000)")
}

/// Instructions of two operands that give integers.
fn binary(op: N, a: Expr, b: Expr) -> String {
    let from = op.operands()[0];
    if is_float(from) {
        let (x, y) = (f(a), f(b));
        return truth(&match op {
            N::F32Eq | N::F64Eq => format!("(fp.eq {x} {y})"),
            N::F32Ne | N::F64Ne => format!("(not (fp.eq {x} {y}))"),
            N::F32Lt | N::F64Lt => format!("(fp.lt {x} {y})"),
            N::F32Gt | N::F64Gt => format!("(fp.gt {x} {y})"),
            N::F32Le | N::F64Le => format!("(fp.leq {x} {y})"),
            _ => format!("(fp.geq {x} {y})"),
        });
    }
    let (x, y) = (e(a), e(b));
    let bits = u64::from(width(from));
    let by = format!("(bvand {y} {})", constant(from, bits - 1));
    let rest = format!("(bvsub {} {by})", constant(from, bits));
    let name = match op {
        N::I32Add | N::I64Add => "bvadd",
        N::I32Sub | N::I64Sub => "bvsub",
        N::I32Mul | N::I64Mul => "bvmul",
        N::I32DivS | N::I64DivS => "bvsdiv",
        N::I32DivU | N::I64DivU => "bvudiv",
        N::I32RemS | N::I64RemS => "bvsrem",
        N::I32RemU | N::I64RemU => "bvurem",
        N::I32And | N::I64And => "bvand",
        N::I32Or | N::I64Or => "bvor",
        N::I32Xor | N::I64Xor => "bvxor",
        N::I32Shl | N::I64Shl => return format!("(bvshl {x} {by})"),
        N::I32ShrS | N::I64ShrS => return format!("(bvashr {x} {by})"),
        N::I32ShrU | N::I64ShrU => return format!("(bvlshr {x} {by})"),
        N::I32Rotl | N::I64Rotl => {
            return format!("(bvor (bvshl {x} {by}) (bvlshr {x} {rest}))");
        }
        N::I32Rotr | N::I64Rotr => {
            return format!("(bvor (bvlshr {x} {by}) (bvshl {x} {rest}))");
        }
        N::I32Eq | N::I64Eq => return truth(&format!("(= {x} {y})")),
        N::I32Ne | N::I64Ne => return truth(&format!("(not (= {x} {y}))")),
        _ => {
            let comparison = match op {
                N::I32LtS | N::I64LtS => "bvslt",
                N::I32LtU | N::I64LtU => "bvult",
                N::I32GtS | N::I64GtS => "bvsgt",
                N::I32GtU | N::I64GtU => "bvugt",
                N::I32LeS | N::I64LeS => "bvsle",
                N::I32LeU | N::I64LeU => "bvule",
                N::I32GeS | N::I64GeS => "bvsge",
                _ => "bvuge",
            };
            return truth(&format!("({comparison} {x} {y})"));
        }
    };
    format!("({name} {x} {y})")
}
