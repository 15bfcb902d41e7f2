import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '../driftgate.ts'

export const POLICY = `data:
  port: 80
  names: [a]
  # @sensitive
  password: hunter22
hierarchy: {order: ["{{ lookup('facts.env', '') }}"], merge: deep}
overrides:
  prod: {port: 8080, names: [b]}
ccm:
  resources:
    - file: {name: /nowhere/a, ensure: absent, control: {if: Data.port == 80}}
    - file: {name: "/nowhere/{{ Data.port }}", ensure: absent}
`

export function withPolicy(text: string = POLICY): string {
  const cwd = temporaryDirectory()
  writeFileSync(join(cwd, 'p.yaml'), text)
  return cwd
}
