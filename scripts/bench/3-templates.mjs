// The template budgets: distinct short expressions after start-up, and a policy whose every string is a template against
// the same policy without any.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { userInfo } from 'node:os'

const DIST = new URL('../../dist/', import.meta.url)
const EXPRESSIONS = 10_000
const RESOURCES = 1_000

export async function run(tools) {
  return [await expressions(tools), await resources(tools)]
}

/** The built modules in a process of their own, every expression new to it. */
async function expressions({ folder, median }) {
  const script = join(folder, 'expressions.mjs')
  const out = join(folder, 'expressions-time')
  await writeFile(
    script,
    `import { writeFileSync } from 'node:fs'
     import { TemplateEnvironment } from ${JSON.stringify(new URL('policy/template/index.js', DIST).href)}
     const data = new Map([['port', 80n], ['name', 'web'], ['list', [1n, 2n, 3n]]])
     const environment = new TemplateEnvironment({
       facts: () => new Map(), data, environ: new Map(), workingDirectory: '/', readFile: () => '',
     })
     const shapes = [
       (at) => \`Data.port + \${at}\`,
       (at) => \`Data.name + "-\${at}"\`,
       (at) => \`lookup("data.port") > \${at} ? "high" : "low"\`,
       (at) => \`Data.list[\${at % 3}] * \${at} == 0 and Data.name in ["a", "web"]\`,
       (at) => \`upper(Data.name) | replace("W", "\${at}")\`,
     ]
     const sources = Array.from({ length: ${EXPRESSIONS} }, (_, at) => shapes[at % shapes.length](at))
     const start = performance.now()
     for (const source of sources) environment.evaluate(source)
     writeFileSync(process.argv[2], String(performance.now() - start))`,
  )
  const times = []
  for (let attempt = 0; attempt < 5; attempt++) {
    median([[process.execPath, script, out]], { runs: 0 })
    times.push(Number(await readFile(out, 'utf8')))
  }
  // Only what else the machine does makes one of them slower than another.
  const measured = Math.min(...times)
  return {
    work: `${EXPRESSIONS.toLocaleString('en')} distinct expressions`,
    measured,
    unit: 'ms',
    budget: { text: '300 ms', met: measured < 300 },
  }
}

/** What templates in every string of a policy add to the whole command. */
async function resources({ folder, driftgate, median }) {
  const { uid, gid } = userInfo()
  const plain = join(folder, 'plain.yaml')
  const templates = join(folder, 'templates.yaml')
  const head = `data: {dir: ${folder}/none, uid: "${uid}", gid: "${gid}", mode: "0644", greeting: hello}\nccm:\n  resources:\n`
  const item = ({ name, owner, group, mode, content }) =>
    `    - file:\n        name: "${name}"\n        ensure: present\n        owner: "${owner}"\n        group: "${group}"\n` +
    `        mode: "${mode}"\n        content: "${content}"\n`
  const indices = Array.from({ length: RESOURCES }, (_, at) => at)
  await writeFile(
    plain,
    head +
      indices
        .map((at) =>
          item({ name: `${folder}/none/${at}`, owner: uid, group: gid, mode: '0644', content: `hello ${at}` }),
        )
        .join(''),
  )
  await writeFile(
    templates,
    head +
      indices
        .map((at) =>
          item({
            name: `{{ Data.dir }}/${at}`,
            owner: '{{ Data.uid }}',
            group: `{{ lookup('data.gid') }}`,
            mode: '${ Data.mode }',
            content: `{{ Data.greeting }} {{ ${at} + 0 }}`,
          }),
        )
        .join(''),
  )
  const scan = (policy) => driftgate('scan', policy, '--quiet')
  const [without, withTemplates] = median([scan(plain), scan(templates)], { runs: 9, exitCodes: [2] })
  const measured = withTemplates - without
  return {
    work: `${RESOURCES.toLocaleString('en')} resources of templates alone, added`,
    measured,
    unit: 'ms',
    against: 'without templates',
    baseline: without,
    ratio: withTemplates / without,
    budget: { text: '150 ms', met: measured < 150 },
  }
}
