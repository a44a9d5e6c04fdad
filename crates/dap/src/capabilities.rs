//! What an adapter can, as `initialize` answers.

use serde_json::{Value, json};

use crate::device::FILTERS;

/// Everything. A program of a model language then says what it has not.
pub(crate) fn all() -> Value {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsFunctionBreakpoints": true,
        "supportsConditionalBreakpoints": true,
        "supportsHitConditionalBreakpoints": true,
        "supportsEvaluateForHovers": true,
        "exceptionBreakpointFilters": FILTERS,
        "supportsStepBack": true,
        "supportsSetVariable": true,
        "supportsRestartFrame": true,
        "supportsGotoTargetsRequest": true,
        "supportsStepInTargetsRequest": true,
        "supportsCompletionsRequest": true,
        "completionTriggerCharacters": [" ", "."],
        "supportsModulesRequest": true,
        "supportsRestartRequest": true,
        "supportsExceptionInfoRequest": true,
        "supportsDelayedStackTraceLoading": true,
        "supportsLoadedSourcesRequest": true,
        "supportsLogPoints": true,
        "supportsDataBreakpoints": true,
        "supportsDataBreakpointBytes": true,
        "supportsReadMemoryRequest": true,
        "supportsDisassembleRequest": true,
        "supportsCancelRequest": true,
        "supportsBreakpointLocationsRequest": true,
        "supportsSteppingGranularity": true,
        "supportsInstructionBreakpoints": true,
        "supportsExceptionFilterOptions": true,
        "supportsSingleThreadExecutionRequests": true,
        "supportsANSIStyling": true,
    })
}

/// What a program of a model language has not: it has no instructions, no memory and no traps.
pub(crate) fn of_model() -> Value {
    json!({
        "exceptionBreakpointFilters": [],
        "supportsSetVariable": false,
        "supportsRestartFrame": false,
        "supportsModulesRequest": false,
        "supportsDataBreakpoints": false,
        "supportsDataBreakpointBytes": false,
        "supportsReadMemoryRequest": false,
        "supportsDisassembleRequest": false,
        "supportsSteppingGranularity": false,
        "supportsInstructionBreakpoints": false,
        "supportsExceptionFilterOptions": false,
    })
}
