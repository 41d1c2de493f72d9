//! `#[stet::explore]`: marks a function without parameters that `stet explore` runs on all inputs it makes.

extern crate proc_macro;

use proc_macro::{Delimiter, TokenStream, TokenTree};

/// Marks a function that is explored like a test.
#[proc_macro_attribute]
pub fn explore(arguments: TokenStream, item: TokenStream) -> TokenStream {
    if !arguments.is_empty() {
        return refusal("`#[stet::explore]` takes no arguments");
    }
    let name = match function_name(item.clone()) {
        Ok(name) => name,
        Err(why) => return refusal(why),
    };
    let entry = format!(
        "const _: () = {{
            const NAME: &str = concat!(module_path!(), \"::\", stringify!({name}));
            fn run() {{ ::stet::End::end({name}()) }}
            #[used]
            #[unsafe(link_section = \"stet_explore\")]
            static ENTRY: ::stet::Entry<{{ NAME.len() + 1 }}> = ::stet::Entry::new(run, NAME);
        }};"
    );
    let mut tokens = item;
    match entry.parse::<TokenStream>() {
        Ok(entry) => tokens.extend(entry),
        Err(_) => return refusal("`#[stet::explore]` cannot name this function"),
    }
    tokens
}

/// The name after `fn`, if nothing follows it but empty parentheses.
fn function_name(item: TokenStream) -> Result<String, &'static str> {
    const WHERE: &str = "`#[stet::explore]` stands before a function";
    let mut tokens = item.into_iter();
    let is_fn =
        |token: &TokenTree| matches!(token, TokenTree::Ident(word) if word.to_string() == "fn");
    let before: Vec<TokenTree> = tokens.by_ref().take_while(|token| !is_fn(token)).collect();
    if before.iter().any(|token| token.to_string() == "async") {
        return Err("`#[stet::explore]` does not run `async` functions");
    }
    let Some(TokenTree::Ident(name)) = tokens.next() else {
        return Err(WHERE);
    };
    match tokens.next() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => {
            match group.stream().is_empty() {
                true => Ok(name.to_string()),
                false => Err(
                    "a function for `#[stet::explore]` has no parameters: call `stet::symbolic` inside of it",
                ),
            }
        }
        _ => Err("a function for `#[stet::explore]` has no type parameters"),
    }
}

fn refusal(why: &str) -> TokenStream {
    format!("compile_error!({why:?});")
        .parse()
        .unwrap_or_default()
}
