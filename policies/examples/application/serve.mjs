// Packs the application beside this file and serves it, which stands for the place that releases come from.
//
//   node serve.mjs [--listen 127.0.0.1:8640]                serves until it is interrupted
//   node serve.mjs [--listen 127.0.0.1:0] -- COMMAND ...    serves while the command runs; {} is the URL of the archive
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const RELEASE = 'greeter-1.4.2'

const { values, positionals } = parseArgs({
  options: { listen: { type: 'string', default: '127.0.0.1:8640' } },
  allowPositionals: true,
})
const [host, port] = values.listen.split(':')
const archive = pack(RELEASE)
const server = createServer(answer).listen(Number(port), host)
await once(server, 'listening')
const url = `http://${host}:${server.address().port}/${RELEASE}.tar`
if (positionals.length === 0) {
  process.stdout.write(`${url}\nsha256 ${createHash('sha256').update(archive).digest('hex')}\n`)
} else {
  process.exitCode = await run(positionals.map((word) => word.replaceAll('{}', url)))
  server.close()
  server.closeAllConnections()
}

/** The same bytes on every machine, so that a policy can name their checksum. */
function pack(folder) {
  const always = ['--format=ustar', '--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner']
  const modes = '--mode=u=rwX,go=rX'
  const directory = fileURLToPath(new URL('.', import.meta.url))
  return execFileSync('tar', ['--create', ...always, modes, `--directory=${directory}`, folder])
}

function answer({ url: path }, response) {
  if (path === `/${RELEASE}.tar`) response.writeHead(200, { 'content-length': archive.length }).end(archive)
  else response.writeHead(404).end()
}

async function run([command, ...args]) {
  const [code] = await once(spawn(command, args, { stdio: 'inherit' }), 'close')
  return code ?? 1
}
