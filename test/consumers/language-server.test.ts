// The language server of editors reads the schema that `driftgate schema` writes, by the line that `driftgate init` writes.
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { NO_REGISTRY } from '../support/allowed-skips.ts'
import { driftgate, temporaryDirectory } from '../support/driftgate.ts'
import { install } from './install.ts'

interface Message {
  readonly id?: number
  readonly method?: string
  readonly result?: unknown
  readonly params?: {
    readonly uri?: string
    readonly diagnostics?: readonly Diagnostic[]
    readonly items?: readonly unknown[]
  }
}

interface Diagnostic {
  readonly message: string
  readonly range: { readonly start: { readonly line: number } }
}

interface Server {
  readonly request: (method: string, params: unknown) => Promise<unknown>
  readonly notify: (method: string, params: unknown) => void
  /** The next diagnostics of a document that are about anything, or about nothing. */
  readonly diagnosticsOf: (uri: string) => Promise<readonly Diagnostic[]>
}

/** Talks to a language server by its standard streams. @see the base protocol of the Language Server Protocol */
function startServer(program: string): Server {
  const child = spawn(process.execPath, [program, '--stdio'], { stdio: ['pipe', 'pipe', 'ignore'] })
  onTestFinished(() => void child.kill())
  const waiting = new Map<number | string, (value: unknown) => void>()
  let buffer = Buffer.alloc(0)
  let lastId = 0
  const send = (message: object): void => {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message })
    child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  }
  const receive = ({ id, method, result, params }: Message): void => {
    if (method === undefined) waiting.get(id ?? -1)?.(result)
    else if (id !== undefined)
      send({ id, result: method === 'workspace/configuration' ? params?.items?.map(() => null) : null })
    else if (method === 'textDocument/publishDiagnostics') waiting.get(params?.uri ?? '')?.(params?.diagnostics)
  }
  child.stdout.on('data', (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk])
    for (;;) {
      const end = buffer.indexOf('\r\n\r\n')
      const length = Number(/Content-Length: (\d+)/.exec(buffer.subarray(0, end).toString())?.[1])
      if (end < 0 || buffer.length < end + 4 + length) return
      receive(JSON.parse(buffer.subarray(end + 4, end + 4 + length).toString()))
      buffer = buffer.subarray(end + 4 + length)
    }
  })
  return {
    request: (method, params) => {
      lastId += 1
      send({ id: lastId, method, params })
      return new Promise((resolve) => waiting.set(lastId, resolve))
    },
    notify: (method, params) => send({ method, params }),
    diagnosticsOf: (uri) =>
      new Promise((resolve) => waiting.set(uri, (value) => resolve(value as readonly Diagnostic[]))),
  }
}

test('a policy of driftgate init is completed, explained and checked', async ({ skip }) => {
  const installed = await install('npm', 'yaml-language-server', '1.23.0')
  if ('missing' in installed) {
    console.error(installed.missing)
    return skip(NO_REGISTRY)
  }
  const cwd = temporaryDirectory()
  await driftgate(['init'], { cwd })
  await driftgate(['schema', '--out'], { cwd })
  const server = startServer(join(installed.directory, 'node_modules/yaml-language-server/bin/yaml-language-server'))
  const rootUri = pathToFileURL(cwd).href
  await server.request('initialize', { processId: process.pid, rootUri, capabilities: {} })
  server.notify('initialized', {})
  const open = async (name: string): Promise<readonly Diagnostic[]> => {
    const uri = `${rootUri}/${name}`
    const text = readFileSync(join(cwd, name), 'utf8')
    const found = server.diagnosticsOf(uri)
    server.notify('textDocument/didOpen', { textDocument: { uri, languageId: 'yaml', version: 1, text } })
    return await found
  }
  expect(await open('policy.yaml')).toEqual([])
  const [line = ''] = readFileSync(join(cwd, 'policy.yaml'), 'utf8').split('\n')
  const lines = [
    line,
    'ccm:',
    '  resources:',
    '    - file:',
    '        - /etc/motd:',
    '            ensure: presnt',
    '            ',
    '',
  ]
  writeFileSync(join(cwd, 'mine.yaml'), lines.join('\n'))
  expect(await open('mine.yaml')).toContainEqual(
    expect.objectContaining({ range: expect.objectContaining({ start: expect.objectContaining({ line: 5 }) }) }),
  )
  const textDocument = { uri: `${rootUri}/mine.yaml` }
  const completion = await server.request('textDocument/completion', {
    textDocument,
    position: { line: 6, character: 12 },
  })
  const labels = (completion as { items: readonly { label: string }[] }).items.map(({ label }) => label)
  expect(labels).toEqual(expect.arrayContaining(['owner', 'group', 'mode', 'content']))
  const hover = await server.request('textDocument/hover', { textDocument, position: { line: 3, character: 8 } })
  expect(JSON.stringify(hover)).toMatch(/file/i)
})
