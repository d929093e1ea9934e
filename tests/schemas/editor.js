// Open files in the JSON service of Visual Studio Code, as an editor with the catalog does, and print what it shows.
//     node editor.js NODE_MODULES FOLDER_OF_THE_CATALOG FILE...
"use strict";
const fs = require("fs");
const path = require("path");
const [, , modules, folder, ...files] = process.argv;
const { getLanguageService, TextDocument } = require(path.join(modules, "vscode-json-languageservice"));

const catalog = JSON.parse(fs.readFileSync(path.join(folder, "catalog.json"), "utf8"));
const requestedUrls = [];
const service = getLanguageService({
  schemaRequestService: async (url) => {
    requestedUrls.push(url);
    return fs.readFileSync(path.join(folder, path.basename(new URL(url).pathname)), "utf8");
  },
});
service.configure({ schemas: catalog.schemas.map((schema) => ({ uri: schema.url, fileMatch: schema.fileMatch })) });

(async () => {
  const found = {};
  for (const file of files) {
    const text = fs.readFileSync(file, "utf8");
    const document = TextDocument.create(`file:///work/${path.basename(file)}`, "json", 1, text);
    const json = service.parseJSONDocument(document);
    const inside = document.positionAt(text.indexOf("{") + 1);
    const offered = await service.doComplete(document, inside, json);
    const hover = await service.doHover(document, document.positionAt(text.indexOf('"model"') + 2), json);
    const diagnostics = await service.doValidation(document, json);
    found[path.basename(file)] = {
      diagnostics: diagnostics.map(({ range, message }) => [range.start.line, message]),
      offered: offered.items.map((item) => item.label),
      hover: hover && hover.contents,
    };
  }
  console.log(JSON.stringify({ requestedUrls, found }));
})();
