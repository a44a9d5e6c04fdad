//! Random AmbientTalk programs that end.

use borges_multiverse::random::Random;

/// Writes a program. Methods send only to methods with higher numbers, so every run ends.
pub(crate) struct Writer {
    random: Random,
    methods: usize,
}

impl Writer {
    pub(crate) fn program(seed: u64) -> String {
        let mut writer = Self {
            random: Random::from_seed(seed),
            methods: 2,
        };
        writer.write()
    }

    fn below(&mut self, n: usize) -> usize {
        self.random.below(n)
    }

    fn write(&mut self) -> String {
        let actors = 2 + self.below(2);
        let mut text = String::new();
        for actor in 0..actors {
            let known: Vec<_> = (0..actor).map(|other| format!("a{other}")).collect();
            let bars = if known.is_empty() {
                String::new()
            } else {
                format!("|{}| ", known.join(", "))
            };
            text.push_str(&format!(
                "def a{actor} := actor: {{ {bars}def f := {actor};\n"
            ));
            for method in 0..self.methods {
                let body = self.body(&known, method);
                text.push_str(&format!("  def m{method}(x) {{ {body} }};\n"));
            }
            text.push_str("};\n");
        }
        // Those that know others start: their messages race.
        for _ in 0..2 + self.below(2) {
            let (to, argument) = (actors - 1 - self.below(2), self.below(4));
            let method = self.below(self.methods);
            text.push_str(&format!("a{to}<-m{method}({argument});\n"));
        }
        text
    }

    fn body(&mut self, known: &[String], method: usize) -> String {
        let mut statements = Vec::new();
        for _ in 0..1 + self.below(2) {
            let statement = self.statement(known, method);
            statements.push(statement);
        }
        statements.push(match self.below(3) {
            0 => "f".to_owned(),
            1 => "x + 1".to_owned(),
            _ => "f := f + x".to_owned(),
        });
        statements.join("; ")
    }

    fn statement(&mut self, known: &[String], method: usize) -> String {
        let next = method + 1;
        let to = match self.below(2 * known.len() + 1) {
            0 => "self",
            nth => &known[(nth - 1) / 2],
        };
        let argument = ["x", "f", "1", "x * 2"][self.below(4)];
        match self.below(8) {
            0 => "f := f * 2 + x".to_owned(),
            1 => format!("system.println(\"{method}:\", x)"),
            2 => "if: f > x then: { f := f - 1 } else: { f := x + 3 }".to_owned(),
            3 if self.below(6) == 0 => "x.f".to_owned(),
            3..=5 if next < self.methods => format!("{to}<-m{next}({argument})"),
            6 | 7 if next < self.methods => {
                format!(
                    "when: {to}<-m{next}({argument})@FutureMessage becomes: {{|r| f := f + r }}"
                )
            }
            _ => format!("f := f + {argument}"),
        }
    }
}
