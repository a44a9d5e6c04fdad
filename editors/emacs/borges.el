;;; borges.el --- Borges in Emacs, by dap-mode -*- lexical-binding: t; -*-

;; (load "/path/to/borges/editors/emacs/borges.el") in your configuration, then M-x dap-debug.

;;; Code:

(require 'dap-mode)
(require 'dap-ui)

;; Debian 12's lsp-treemacs asks for it and its treemacs has none: without it, `dap-ui-locals' fails.
(defvar treemacs-text-scale nil)

(defvar borges-command (or (getenv "BORGES") "borges")
  "The command `borges'.")

;; The program is asked for; a source of a model language is its own program.
(defun borges--program ()
  (let* ((file (or (buffer-file-name) default-directory))
         (beside (concat (file-name-sans-extension file) ".wasm")))
    (cond ((member (file-name-extension file) '("oz" "at" "amb" "toml")) file)
          ((file-exists-p beside) (expand-file-name (read-file-name "Program: " nil beside t (file-name-nondirectory beside))))
          (t (expand-file-name (read-file-name "Program: " nil nil t))))))

(defun borges--configuration (conf)
  (let ((conf (copy-sequence conf)))
    (setq conf (dap--put-if-absent conf :dap-server-path (list borges-command "dap")))
    (setq conf (dap--put-if-absent conf :request "launch"))
    (setq conf (dap--put-if-absent conf :name "Borges"))
    (if (equal (plist-get conf :request) "launch")
        (dap--put-if-absent conf :program (borges--program))
      conf)))

(dap-register-debug-provider "borges" #'borges--configuration)
(dap-register-debug-template "Borges" (list :type "borges" :request "launch" :stopOnEntry t))

;; What dap-mode has no commands for. The program counts as running from the answer on, which comes before all it causes.
(defun borges--go (command &rest arguments)
  (let ((session (dap--cur-active-session-or-die)))
    (dap--send-message
     (dap--make-request command arguments)
     (dap--resp-handler
      (lambda (_) (dap--resume-application session))
      (lambda (problem) (message "%s" problem)))
     session)))

(defun borges--thread ()
  (or (dap--debug-session-thread-id (dap--cur-active-session-or-die))
      (user-error "The program runs")))

(defun borges-step-back ()
  "Go back to the line before; of a model program, to the universe before."
  (interactive)
  (borges--go "stepBack" :threadId (borges--thread)))

(defun borges-reverse-continue ()
  "Go back to a breakpoint or the start."
  (interactive)
  (borges--go "reverseContinue" :threadId (borges--thread)))

(defun borges-reverse-into ()
  "Go back by one line, into calls."
  (interactive)
  (borges--go "borges/step" :direction "backward" :size "into"))

(defun borges-reverse-out ()
  "Go back to before the call."
  (interactive)
  (borges--go "borges/step" :direction "backward" :size "out"))

(defun borges-entry ()
  "Go to the next input, output or event."
  (interactive)
  (borges--go "borges/step" :direction "forward" :size "entry"))

(defun borges-reverse-entry ()
  "Go back to the last input, output or event."
  (interactive)
  (borges--go "borges/step" :direction "backward" :size "entry"))

(defun borges-jump (universe)
  "Show another UNIVERSE, as `jump' at Borges' prompt names it."
  (interactive "sUniverse: ")
  (borges--go "borges/jump" :universe universe))

(defun borges (line)
  "Say LINE to Borges' prompt: `paths inputs=1', `mock chip_digital_read(14) = 1'."
  (interactive "sborges> ")
  (let ((session (dap--cur-active-session-or-die)))
    (dap--send-message
     (dap--make-request "borges/command" (list :line line))
     (dap--resp-handler
      (lambda (answer) (display-message-or-buffer (gethash "text" (gethash "body" answer)) "*borges*"))
      (lambda (problem) (message "%s" problem)))
     session)))

;; Events that dap-mode would call unknown.
(cl-defmethod dap-handle-event ((_event (eql 'borges/place)) _session _body))
(cl-defmethod dap-handle-event ((_event (eql 'borges/page)) _session body)
  (message "Borges' page: %s" (gethash "url" body)))
(cl-defmethod dap-handle-event ((_event (eql 'borges/file)) _session _body)
  (message "Borges: the program's file is another than what is debugged"))

(provide 'borges)
;;; borges.el ends here
