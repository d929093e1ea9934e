// Open files in the JSON service of Visual Studio Code, as an editor does that knows a catalog; print what it says of them.
//     node editor.js NODE_MODULES FOLDER_OF_THE_CATALOG FILE...
"use strict";
const fs = require("fs");
const path = require("path");
const [, , modules, folder, ...files] = process.argv;
const { getLanguageService, TextDocument } = require(path.join(modules, "vscode-json-languageservice"));

const catalog = JSON.parse(fs.readFileSync(path.join(folder, "catalog.json"), "utf8"));
const asked = [];
const service = getLanguageService({
  schemaRequestService: async (url) => {
    asked.push(url);
    return fs.readFileSync(path.join(folder, path.basename(new URL(url).pathname)), "utf8");
  },
});
service.configure({ schemas: catalog.schemas.map((one) => ({ uri: one.url, fileMatch: one.fileMatch })) });

(async () => {
  const found = {};
  for (const file of files) {
    const text = fs.readFileSync(file, "utf8");
    const document = TextDocument.create(`file:///work/${path.basename(file)}`, "json", 1, text);
    const json = service.parseJSONDocument(document);
    const inside = document.positionAt(text.indexOf("{") + 1);
    const offered = await service.doComplete(document, inside, json);
    const told = await service.doHover(document, document.positionAt(text.indexOf('"model"') + 2), json);
    found[path.basename(file)] = {
      diagnostics: (await service.doValidation(document, json)).map((one) => [one.range.start.line, one.message]),
      offered: offered.items.map((one) => one.label),
      hover: told && told.contents,
    };
  }
  console.log(JSON.stringify({ asked, found }));
})();
