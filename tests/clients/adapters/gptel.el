;;; gptel.el --- Adapter for gptel: `gptel-request', which runs the tools  -*- lexical-binding: t; -*-

(setq load-path (append (file-expand-wildcards "/usr/share/emacs/site-lisp/elpa-src/*") load-path))
(require 'serving (expand-file-name "shared/serving.el" (file-name-directory load-file-name)))
(require 'url-parse)
(require 'gptel)
(require 'gptel-openai)

(defun adapter-backend (base-url)
  "Return a backend at BASE-URL, as the README shows for servers that are compatible with OpenAI."
  (let ((url (url-generic-parse-url base-url)))
    (gptel-make-openai "Server"
      :protocol (url-type url)
      :host (format "%s:%d" (url-host url) (url-port url))
      :endpoint (concat (url-filename url) "/chat/completions")
      :key serving-key
      :models (list serving-model)
      :stream t)))

(defun adapter-tool (function record)
  "Return a tool for FUNCTION, as a job declares it, that calls RECORD with each of its calls."
  (let* ((name (plist-get function :name))
         (properties (map-nested-elt function '(:parameters :properties)))
         (keys (map-keys properties)))
    (gptel-make-tool
     :name name
     :description (plist-get function :description)
     :args (mapcar (lambda (key)
                     (list :name (substring (symbol-name key) 1)
                           :type (plist-get (plist-get properties key) :type)
                           :description ""))
                   keys)
     :function (lambda (&rest values)
                 ;; gptel passes nil for an argument that the call lacks.
                 (funcall record (serving-call name (cl-loop for key in keys for value in values
                                                             when value append (list key value))))
                 "done"))))

(defun adapter-request (job)
  "Send the requests of JOB with `gptel-request'.
The text is what the callback is given after the last tools were run."
  (let* ((calls nil) (text nil) (reasoning nil) (has-run-tools nil) (failure nil)
         (gptel-backend (adapter-backend (plist-get job :base_url)))
         (gptel-model serving-model)
         (gptel-tools (mapcar (lambda (tool)
                                (adapter-tool (plist-get tool :function) (lambda (call) (push call calls))))
                              (plist-get job :tools)))
         (fsm (gptel-request serving-question
                :stream (plist-get job :stream)
                :callback (lambda (response info)
                            (pcase response
                              ((pred stringp) (setq text (concat text response)))
                              (`(reasoning . ,(and (pred stringp) part)) (setq reasoning (concat reasoning part)))
                              (`(tool-result . ,_) (setq text nil has-run-tools t))
                              ('nil (setq failure (adapter-failure info))))))))
    (serving-wait (lambda () (or failure (memq (gptel-fsm-state fsm) '(DONE ERRS ABRT)))))
    (when failure (error "%s" failure))
    (append (list :text text :calls (vconcat (nreverse calls)))
            (unless has-run-tools (list :reasoning reasoning :usage (adapter-usage (gptel-fsm-info fsm)))))))

(defun adapter-failure (info)
  "Return the message of a request that failed, from its status and its error in INFO."
  (let ((data (plist-get info :error)))
    (format "%s %s" (plist-get info :status) (if (stringp data) data (plist-get data :message)))))

(defun adapter-usage (info)
  "Return the token counts in INFO.
gptel counts tokens of the cache beside the input, and OpenAI counts them in it."
  (when-let* ((tokens (plist-get info :tokens)))
    (list :prompt_tokens (+ (plist-get tokens :input) (plist-get tokens :cached))
          :completion_tokens (plist-get tokens :output))))

(serving-serve '(("request" . adapter-request)))
;;; gptel.el ends here
