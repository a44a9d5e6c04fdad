//! The conversation: what is asked, and what is told unasked.

use std::collections::{BTreeMap, HashMap};

use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{self as note, Notification as _};
use lsp_types::request::{self as ask, Request as _};
use lsp_types::{
    CompletionOptions, CompletionResponse, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DocumentSymbolResponse, GotoDefinitionResponse,
    HoverProviderCapability, InitializeResult, LogMessageParams, MessageType, OneOf, Position,
    PrepareRenameResponse, PublishDiagnosticsParams, RenameOptions, ServerCapabilities, ServerInfo,
    ShowMessageParams, TextDocumentPositionParams, TextDocumentSyncCapability,
    TextDocumentSyncKind, Uri, WorkDoneProgressOptions, WorkspaceEdit,
};
use serde_json::Value;

use crate::complete::complete;
use crate::diagnose::diagnose;
use crate::documents::{Document, Documents, MOST_DOCUMENTS};
use crate::edit::{format, renamable, rename};
use crate::navigate::{definitions, highlights, references};
use crate::outline::outline;
use crate::refusal::Refusal;
use crate::told::hover;

/// What a stream says of that which was no message, with why.
pub(crate) const UNREAD: &str = "$/borges/unread";

/// How a conversation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Farewell {
    /// The editor asked for the end, and then ended it.
    Agreed,
    /// The editor went away.
    Sudden,
}

/// Serves one editor on a connection until it leaves.
#[must_use]
pub fn run(connection: &Connection) -> Farewell {
    let mut server = Server {
        connection,
        stage: Stage::Strangers,
        documents: Documents::default(),
        changed: BTreeMap::new(),
    };
    for message in &connection.receiver {
        match message {
            Message::Request(request) => {
                let response = server.request(request);
                server.send(response.into());
            }
            Message::Notification(notification) if notification.method == note::Exit::METHOD => {
                return match server.stage {
                    Stage::Leaving => Farewell::Agreed,
                    Stage::Strangers | Stage::Known => Farewell::Sudden,
                };
            }
            Message::Notification(notification) => server.notification(notification),
            // Nothing was asked.
            Message::Response(_) => {}
        }
        // While more arrives, what is wrong with a text may change.
        if connection.receiver.is_empty() {
            server.publish();
        }
    }
    Farewell::Sudden
}

/// How far the conversation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Nobody has said `initialize`.
    Strangers,
    /// Questions are answered.
    Known,
    /// `shutdown` was said.
    Leaving,
}

struct Server<'c> {
    connection: &'c Connection,
    stage: Stage,
    documents: Documents,
    /// Those of which it is to be told what is wrong with them.
    changed: BTreeMap<String, Uri>,
}

type Answer<R> = Result<<R as ask::Request>::Result, Refusal>;

impl Server<'_> {
    /// An editor that reads no more has left, which the next message that does not come will show.
    fn send(&self, message: Message) {
        let _ = self.connection.sender.send(message);
    }

    fn tell<N: note::Notification>(&self, params: N::Params) {
        self.send(Notification::new(N::METHOD.to_owned(), params).into());
    }

    fn request(&mut self, request: Request) -> Response {
        let (id, method) = (request.id.clone(), request.method.clone());
        let refusal = match (self.stage, method.as_str()) {
            (Stage::Strangers, ask::Initialize::METHOD) => {
                self.stage = Stage::Known;
                return Response::new_ok(id, greeting());
            }
            (Stage::Strangers, _) => Refusal::new(
                ErrorCode::ServerNotInitialized,
                format!("say initialize before {method}"),
            ),
            (_, ask::Initialize::METHOD) => {
                Refusal::new(ErrorCode::InvalidRequest, "initialize is said once")
            }
            (Stage::Leaving, _) => Refusal::new(
                ErrorCode::InvalidRequest,
                format!("after shutdown comes exit, not {method}"),
            ),
            (Stage::Known, ask::Shutdown::METHOD) => {
                self.stage = Stage::Leaving;
                return Response::new_ok(id, Value::Null);
            }
            (Stage::Known, _) => return self.answer(request),
        };
        refused(id, refusal)
    }

    /// Answers a question about a document.
    fn answer(&self, request: Request) -> Response {
        match request.method.as_str() {
            ask::HoverRequest::METHOD => self.to::<ask::HoverRequest>(request, |params| {
                Ok(self
                    .at(&params.text_document_position_params, hover)?
                    .flatten())
            }),
            ask::GotoDefinition::METHOD => self.to::<ask::GotoDefinition>(request, |params| {
                let found = self.at(&params.text_document_position_params, definitions)?;
                Ok(found.map(GotoDefinitionResponse::Array))
            }),
            ask::References::METHOD => self.to::<ask::References>(request, |params| {
                let with = params.context.include_declaration;
                self.at(&params.text_document_position, |document, position| {
                    references(document, position, with)
                })
            }),
            ask::DocumentHighlightRequest::METHOD => self
                .to::<ask::DocumentHighlightRequest>(request, |params| {
                    self.at(&params.text_document_position_params, highlights)
                }),
            ask::DocumentSymbolRequest::METHOD => {
                self.to::<ask::DocumentSymbolRequest>(request, |params| {
                    let document = self.document(&params.text_document.uri)?;
                    Ok(document.map(|document| DocumentSymbolResponse::Nested(outline(document))))
                })
            }
            ask::Completion::METHOD => self.to::<ask::Completion>(request, |params| {
                let found = self.at(&params.text_document_position, complete)?;
                Ok(found.map(CompletionResponse::Array))
            }),
            ask::Formatting::METHOD => self.to::<ask::Formatting>(request, |params| {
                let document = self.document(&params.text_document.uri)?;
                Ok(document.and_then(format))
            }),
            ask::PrepareRenameRequest::METHOD => {
                self.to::<ask::PrepareRenameRequest>(request, |params| {
                    let range = self.at(&params, renamable)?.transpose();
                    // Where nothing can be renamed, editors say so themselves.
                    Ok(range.ok().flatten().map(PrepareRenameResponse::Range))
                })
            }
            ask::Rename::METHOD => self.to::<ask::Rename>(request, |params| {
                let place = &params.text_document_position;
                let edits = self.at(place, |document, position| {
                    rename(document, position, &params.new_name)
                })?;
                let uri = place.text_document.uri.clone();
                let changes = edits
                    .transpose()?
                    .map(|edits| HashMap::from([(uri, edits)]));
                Ok(changes.map(WorkspaceEdit::new))
            }),
            method => refused(
                request.id,
                Refusal::new(
                    ErrorCode::MethodNotFound,
                    format!("{method} is not understood"),
                ),
            ),
        }
    }

    /// Answers a request of a kind, if its parameters are those.
    fn to<R: ask::Request>(
        &self,
        request: Request,
        answer: impl FnOnce(R::Params) -> Answer<R>,
    ) -> Response {
        let params = serde_json::from_value(request.params);
        let wrong = |error: serde_json::Error| {
            Refusal::new(ErrorCode::InvalidParams, format!("{}: {error}", R::METHOD))
        };
        let answer = params.map_err(wrong).and_then(answer);
        // The protocol's own types have a JSON form.
        let answer = answer.and_then(|answer| serde_json::to_value(answer).map_err(wrong));
        match answer {
            Ok(answer) => Response::new_ok(request.id, answer),
            Err(refusal) => refused(request.id, refusal),
        }
    }

    /// An open document; none if it is of no model language.
    fn document(&self, uri: &Uri) -> Result<Option<&Document>, Refusal> {
        let document = self.documents.get(uri);
        match document {
            Some(document) => Ok(Some(document)),
            None if Document::dialect_of(uri, "").is_none() => Ok(None),
            None => Err(Refusal::new(
                ErrorCode::InvalidParams,
                format!("{} is not open", uri.as_str()),
            )),
        }
    }

    fn at<T>(
        &self,
        place: &TextDocumentPositionParams,
        answer: impl FnOnce(&Document, Position) -> T,
    ) -> Result<Option<T>, Refusal> {
        let document = self.document(&place.text_document.uri)?;
        Ok(document.map(|document| answer(document, place.position)))
    }

    /// Those that are not understood are passed by, as the protocol wants it.
    fn notification(&mut self, notification: Notification) {
        if notification.method == UNREAD {
            let message = notification.params.as_str().unwrap_or_default().to_owned();
            let typ = MessageType::ERROR;
            return self.tell::<note::LogMessage>(LogMessageParams { typ, message });
        }
        if self.stage != Stage::Known {
            return;
        }
        let params = notification.params;
        let taken = match notification.method.as_str() {
            note::DidOpenTextDocument::METHOD => {
                serde_json::from_value(params).map(|params| self.open(params))
            }
            note::DidChangeTextDocument::METHOD => {
                serde_json::from_value(params).map(|params| self.change(params))
            }
            note::DidCloseTextDocument::METHOD => {
                serde_json::from_value(params).map(|params| self.close(&params))
            }
            _ => return,
        };
        if let Err(error) = taken {
            self.warn(format!("{}: {error}", notification.method));
        }
    }

    fn warn(&self, message: String) {
        let typ = MessageType::WARNING;
        self.tell::<note::ShowMessage>(ShowMessageParams { typ, message });
    }

    fn open(&mut self, params: DidOpenTextDocumentParams) {
        let opened = params.text_document;
        let Some(dialect) = Document::dialect_of(&opened.uri, &opened.language_id) else {
            return;
        };
        let uri = opened.uri.clone();
        let document = Document::new(opened.uri, opened.version, dialect, opened.text);
        if self.documents.open(document) {
            self.changed.insert(uri.as_str().to_owned(), uri);
        } else {
            let path = uri.path().as_str();
            self.warn(format!(
                "{path} is not looked at: {MOST_DOCUMENTS} documents are open"
            ));
        }
    }

    fn change(&mut self, params: DidChangeTextDocumentParams) {
        let changed = params.text_document;
        if let Some(document) = self.documents.get_mut(&changed.uri) {
            document.change(changed.version, params.content_changes);
            self.changed
                .insert(changed.uri.as_str().to_owned(), changed.uri);
        }
    }

    fn close(&mut self, params: &DidCloseTextDocumentParams) {
        let uri = &params.text_document.uri;
        self.changed.remove(uri.as_str());
        if self.documents.close(uri) {
            let nothing = PublishDiagnosticsParams::new(uri.clone(), Vec::new(), None);
            self.tell::<note::PublishDiagnostics>(nothing);
        }
    }

    /// Says what is wrong with what has changed.
    fn publish(&mut self) {
        for uri in std::mem::take(&mut self.changed).into_values() {
            if let Some(document) = self.documents.get(&uri) {
                self.tell::<note::PublishDiagnostics>(diagnose(document));
            }
        }
    }
}

fn refused(id: RequestId, refusal: Refusal) -> Response {
    Response::new_err(id, refusal.code, refusal.message)
}

/// What the server is and can do.
fn greeting() -> InitializeResult {
    InitializeResult {
        capabilities: ServerCapabilities {
            text_document_sync: Some(TextDocumentSyncCapability::Kind(
                TextDocumentSyncKind::INCREMENTAL,
            )),
            hover_provider: Some(HoverProviderCapability::Simple(true)),
            completion_provider: Some(CompletionOptions {
                trigger_characters: Some(vec![".".to_owned(), "-".to_owned()]),
                ..CompletionOptions::default()
            }),
            definition_provider: Some(OneOf::Left(true)),
            references_provider: Some(OneOf::Left(true)),
            document_highlight_provider: Some(OneOf::Left(true)),
            document_symbol_provider: Some(OneOf::Left(true)),
            document_formatting_provider: Some(OneOf::Left(true)),
            rename_provider: Some(OneOf::Right(RenameOptions {
                prepare_provider: Some(true),
                work_done_progress_options: WorkDoneProgressOptions::default(),
            })),
            ..ServerCapabilities::default()
        },
        server_info: Some(ServerInfo {
            name: "borges".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
    }
}
