;;; session.el --- A session in Emacs without a screen -*- lexical-binding: t; -*-

;; Forwards, back, commands, another universe, a model program. `scripts/editors.sh emacs' runs it.

;;; Code:

(setq native-comp-deferred-compilation nil)
(require 'package)
(unless (member (getenv "PACKAGES") '(nil ""))
  (setq package-user-dir (getenv "PACKAGES")))
(package-initialize)
(defconst here (file-name-directory (or load-file-name buffer-file-name)))
(defconst examples (expand-file-name "../../examples/" here))
(load (expand-file-name "borges.el" here) nil t)

;; What is seen beside what dap-mode shows.
(defvar stops nil "Reasons of stops, the last one first.")
(defvar shown 0 "How often dap-mode has gone to a frame.")
(defvar evaluated nil "What `dap-eval' showed last.")
(defvar told nil "What the command `borges' showed last.")
(defvar excepted nil "What was said of an exception.")
(advice-add 'dap--on-event :before
            (lambda (_session event)
              (when (equal (gethash "event" event) "stopped")
                (push (gethash "reason" (gethash "body" event)) stops))))
(add-hook 'dap-stack-frame-changed-hook (lambda (&rest _) (setq shown (1+ shown))))
(advice-add 'dap-overlays--display-interactive-eval-result :before
            (lambda (value &rest _) (setq evaluated value)))
(advice-add 'display-message-or-buffer :override (lambda (text &rest _) (setq told text)))
(advice-add 'lsp--error :before (lambda (format &rest arguments) (setq excepted (apply #'format format arguments))))

(defun fail (format &rest arguments)
  (message "emacs: %s" (apply #'format format arguments))
  (kill-emacs 1))

(defun await (what condition)
  (let ((end (+ (float-time) 20)))
    (while (not (funcall condition))
      (when (> (float-time) end)
        (fail "%s: nothing happens" what))
      (accept-process-output nil 0.02))))

(defun expect (what found wanted)
  (unless (equal found wanted)
    (fail "%s: %S, not %S" what found wanted))
  (message "emacs: %s: %s" what found))

(defun expect-text (what found wanted)
  (unless (and (stringp found) (string-match wanted found))
    (fail "%s: %S, which %S does not match" what found wanted))
  (message "emacs: %s: %s" what (string-trim (match-string 0 found))))

(defun session () (dap--cur-session))
(defun frames () (gethash (dap--debug-session-thread-id (session)) (dap--debug-session-thread-stack-frames (session))))

;; What the command of a user leads to: the reason of the stop, and the file and line that Emacs then shows.
(defun stop (what command &rest arguments)
  (let ((known (length stops)) (before shown))
    (if arguments (apply command arguments) (call-interactively command))
    (await what (lambda () (and (> (length stops) known) (> shown before)
                                (dap--debug-session-active-frame (session)))))
    (with-current-buffer (window-buffer)
      (list (car stops) (buffer-name) (line-number-at-pos)))))

;; A line at the prompt of dap-mode's REPL, and what it prints.
(defun say (line)
  (save-window-excursion
    (dap-ui-repl)
    (with-current-buffer dap-ui--repl-buffer
      (goto-char (point-max))
      (insert line)
      (let ((from (point)))
        (comint-send-input)
        (await line (lambda () (save-excursion (goto-char from) (re-search-forward "\n>> \\'" nil t))))
        (buffer-substring-no-properties (1+ from) (- (point-max) (length "\n>> ")))))))

(defun locals ()
  (dap-ui-locals--refresh)
  (with-current-buffer dap-ui--locals-buffer
    (buffer-substring-no-properties (point-min) (point-max))))

;; As `dap-debug' takes the template when it is chosen; where a program is asked for, what is proposed is taken.
(defun launch ()
  (interactive)
  (cl-letf (((symbol-function 'read-file-name) (lambda (_prompt _folder proposed &rest _) proposed)))
    (dap-debug (copy-tree (cdr (assoc "Borges" dap-debug-template-configurations))))))

(defun leave ()
  (let* ((session (session)) (process (dap--debug-session-proc session)))
    (call-interactively #'dap-disconnect)
    (await "disconnect" (lambda () (eq (dap--debug-session-state session) 'terminated)))
    (await "disconnect" (lambda () (not (process-live-p process))))))

(defun color-dial ()
  (find-file (concat examples "color-dial/color-dial.ts"))
  (expect "launch stops at"
          (stop "launch" #'launch)
          '("entry" "color-dial.ts" 24))
  (goto-char (point-min))
  (forward-line 18)
  (dap-breakpoint-add)
  (await "breakpoint"
         (lambda () (gethash (buffer-file-name) (dap--debug-session-breakpoints (session)))))
  (let ((breakpoint (car (gethash (buffer-file-name) (dap--debug-session-breakpoints (session))))))
    (expect "a breakpoint is set at" (list (gethash "verified" breakpoint) (gethash "line" breakpoint)) '(t 19)))
  (expect-text "a command in the REPL" (say "mock read_uart_sensor(0) = 3") "\\`read_uart_sensor(0) = 3 from now on")
  (expect-text "what is no command" (say "frobnicate") "error: there is no command 'frobnicate'")
  (expect "going on stops at" (stop "continue" #'dap-continue) '("breakpoint" "color-dial.ts" 19))
  (expect "the stack" (mapcar (lambda (frame) (gethash "name" frame)) (frames)) '("turnTo" "main"))
  (expect-text "variables" (locals) "Locals\n +next: 3\n +fields: 3\n +degrees: 135\n")
  (dap-eval "degrees + 1")
  (await "dap-eval" (lambda () evaluated))
  (expect-text "an expression" evaluated "\\`136\\b")
  (expect "a step over stops at" (stop "next" #'dap-next) '("step" "color-dial.ts" 20))
  (expect "a step back stops at" (stop "back" #'borges-step-back) '("step" "color-dial.ts" 19))
  (expect "out of the call, backwards" (stop "out" #'borges-reverse-out) '("step" "color-dial.ts" 28))
  (expect "going on again" (stop "continue" #'dap-continue) '("breakpoint" "color-dial.ts" 19))
  (expect "backwards" (stop "reverse" #'borges-reverse-continue) '("entry" "color-dial.ts" 24))
  (expect "a jump leads to" (stop "jump" #'borges-jump "0.2") '("goto" "color-dial.ts" 26))
  (borges "paths inputs=1")
  (await "a command" (lambda () told))
  (expect-text "a command" told "[0-9]+ paths.*")
  (leave))

;; A model program is its own program.
(defun deadlock ()
  (find-file (concat examples "deadlock/deadlock.oz"))
  (expect "a model program stops at"
          (stop "launch" #'launch)
          '("entry" "deadlock.oz" 2))
  (expect "its agents"
          (mapcar (lambda (thread) (gethash "name" thread)) (gethash "threads" (dap-request (session) "threads")))
          '("t0: t = true"))
  (expect "its next step is at" (stop "next" #'dap-next) '("step" "deadlock.oz" 3))
  (expect "the step before" (stop "back" #'borges-step-back) '("step" "deadlock.oz" 2))
  (expect "an end that is wrong" (car (stop "continue" #'dap-continue)) "exception")
  (expect-text "who waits" (gethash "name" (car (frames))) "waits on k")
  (await "an exception's words" (lambda () excepted))
  (expect-text "why" excepted "t2: waits on k, line 6")
  (expect "back from the end" (car (stop "back" #'borges-step-back)) "step")
  (leave))

(condition-case problem
    (progn
      (dap-mode 1)
      (dap-ui-mode 1)
      (color-dial)
      (deadlock))
  (error (fail "%s" (error-message-string problem))))
;;; session.el ends here
