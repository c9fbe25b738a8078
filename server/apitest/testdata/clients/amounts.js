// Every amount from -999.99 to 999.99 against the served schema of money, by ajv.
import { createRequire } from "node:module";
const { default: Ajv } = createRequire(import.meta.url)("ajv");
const { components } = await (await fetch(process.env.API + "/openapi.json")).json();
const takes = new Ajv({ strict: false, validateFormats: false }).compile(components.schemas.Money);
let refused = 0;
for (let cents = 0; cents < 100_000; cents++) {
  for (const sign of ["", "-"]) {
    if (!takes(JSON.parse(`${sign}${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`))) refused++;
  }
}
console.log(`${refused} of 200000 refused`);
