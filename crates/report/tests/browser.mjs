// Opens reports in headless Chromium and checks what a person would see: no errors, no network, plots, the
// threshold slider, light and dark, keyboard. Prints "N passed, N failed" at the end.
import { chromium } from "playwright-core";
import { pathToFileURL } from "node:url";

const [multiclass, binary, regression] = process.argv.slice(2).map((p) => pathToFileURL(p).href);
let passed = 0;
const failures = [];
async function check(name, body) {
  try {
    await body();
    passed += 1;
  } catch (error) {
    failures.push(`${name}: ${error.message}`);
  }
}
function expect(holds, message) {
  if (!holds) throw new Error(message);
}

const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

async function open(url, options = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const problems = [];
  page.on("pageerror", (e) => problems.push(`error: ${e.message}`));
  page.on("console", (m) => m.type() === "error" && problems.push(`console: ${m.text()}`));
  page.on("request", (r) => /^(file|data|blob):/.test(r.url()) || problems.push(`request: ${r.url()}`));
  await page.goto(url);
  return { context, page, problems };
}

for (const [name, url] of [["multiclass", multiclass], ["binary", binary], ["regression", regression]]) {
  for (const colorScheme of ["light", "dark"]) {
    await check(`${name} ${colorScheme} opens without errors or network`, async () => {
      const { context, page, problems } = await open(url, { colorScheme });
      expect(problems.length === 0, problems.join("; "));
      const figures = await page.locator("svg[role=img]").count();
      expect(figures >= 4, `${figures} figures`);
      const ids = await page.locator("main section").count();
      expect(ids >= 5, `${ids} sections`);
      const [text, ground] = await page.evaluate(() => {
        const style = getComputedStyle(document.body);
        return [style.color, style.backgroundColor];
      });
      const light = (c) => c.match(/\d+/g).slice(0, 3).reduce((a, v) => a + Number(v), 0) / 765;
      const contrast = Math.abs(light(text) - light(ground));
      expect(contrast > 0.6, `text ${text} on ${ground}`);
      expect(light(ground) > 0.5 === (colorScheme === "light"), `ground ${ground} in ${colorScheme}`);
      await context.close();
    });
  }
}

await check("nothing is wider than a phone", async () => {
  const { context, page } = await open(multiclass, { viewport: { width: 390, height: 800 } });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(wide <= 1, `${wide} pixels too wide`);
  await context.close();
});

await check("the threshold slider moves the confusion counts by keyboard", async () => {
  const { context, page } = await open(binary);
  const slider = page.locator("input[type=range]").first();
  const before = await page.locator("main").innerText();
  await slider.focus();
  for (let i = 0; i < 60; i += 1) await page.keyboard.press("ArrowRight");
  const after = await page.locator("main").innerText();
  expect(before !== after, "no number changed");
  await context.close();
});

await check("every plot offers its data as CSV", async () => {
  const { context, page } = await open(binary);
  const figures = await page.locator("figure").count();
  const links = await page.locator("figure a[download]").count();
  expect(links >= figures && figures > 0, `${links} links for ${figures} figures`);
  await context.close();
});

await check("the command is there to be run again", async () => {
  const { context, page } = await open(multiclass);
  const text = await page.locator("main").innerText();
  expect(text.includes("compare penguins -t species"), "no command");
  await context.close();
});

await browser.close();
failures.forEach((f) => console.log(`FAILED ${f}`));
console.log(`${passed} passed, ${failures.length} failed`);
process.exit(failures.length === 0 ? 0 : 1);
