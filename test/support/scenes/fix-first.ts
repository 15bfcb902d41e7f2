import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ownFile, temporaryDirectory } from '../driftgate.ts'

export function makeDirectory(): string {
  const cwd = temporaryDirectory()
  for (const name of ['one', 'two']) writeFileSync(join(cwd, name), 'wrong\n')
  writeFileSync(join(cwd, 'site data.yaml'), 'word: right\n')
  const resource = (name: string): unknown => ({
    file: { name: join(cwd, name), ...ownFile({ content: '{{ Data.word }}\n' }) },
  })
  const control = (name: string, severity: string): unknown => ({
    id: `c-${name}`,
    title: `What ${name} says`,
    severity,
    resources: [`file#${join(cwd, name)}`],
  })
  writeFileSync(
    join(cwd, "it's.json"),
    JSON.stringify({
      policy: { id: 'site', controls: [control('one', 'low'), control('two', 'high')] },
      data: { word: 'default' },
      ccm: { resources: [resource('one'), resource('two')] },
    }),
  )
  return cwd
}
