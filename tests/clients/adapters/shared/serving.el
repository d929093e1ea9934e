;;; serving.el --- Run the jobs of an adapter in Emacs Lisp  -*- lexical-binding: t; -*-

;; They are lines of JSON on standard input, their results on standard output.

(defconst serving-key "sk-test")
(defconst serving-model 'gpt-4.1-mini)
(defconst serving-question "What is the weather like in Zürich?")

(defvar serving--signalled nil
  "The last error that was signalled in a timer, a filter or a sentinel.")

(defun serving-call (name arguments)
  "Return a call of NAME with ARGUMENTS, a plist, in the form in which the harness compares it."
  (list :name name :arguments (serving--encode (or arguments (make-hash-table)))))

(defun serving-wait (is-done)
  "Let processes run until the function IS-DONE returns non-nil.
A process ends before its output is read.  The events of a stream arrive together then, and never at times that
change from run to run.  Signal the error that is signalled meanwhile, which a user would read in the echo area."
  (setq serving--signalled nil)
  (unwind-protect
      (while (not (or serving--signalled (funcall is-done)))
        (while (seq-some #'process-live-p (process-list)))
        (accept-process-output nil 0.01))
    (dolist (process (process-list))
      (set-process-filter process #'ignore)
      (set-process-sentinel process #'ignore)
      (delete-process process)))
  (when serving--signalled
    (signal (car serving--signalled) (cdr serving--signalled))))

(defun serving-serve (paths)
  "Run the jobs on standard input, one on each line, until it ends.
PATHS is an alist from the name of a path to its function."
  (setq process-error-pause-time 0
        command-error-function (lambda (data &rest _) (setq serving--signalled data)))
  (let (line)
    (while (setq line (ignore-error end-of-file (read-string "")))
      (let ((job (json-parse-string line :object-type 'plist :null-object nil :false-object nil)))
        (princ (serving--encode (append (list :id (plist-get job :id)) (serving--run job paths))))
        (terpri)
        (flush-standard-output)))))

(defun serving--run (job paths)
  "Return the result of JOB, with its function in PATHS."
  (condition-case data
      (list :ok (funcall (alist-get (plist-get job :path) paths nil nil #'equal) job))
    (error (list :raised (list :class (symbol-name (car data)) :message (error-message-string data))))))

(defun serving--encode (value)
  "Return VALUE as JSON in which nil is null."
  (decode-coding-string (json-serialize value :null-object nil :false-object :json-false) 'utf-8))

(provide 'serving)
;;; serving.el ends here
