// Packs a folder and serves it, which stands for the place that releases come from.
//
//   node serve.mjs FOLDER [--listen 127.0.0.1:8640]                serves until it is interrupted
//   node serve.mjs FOLDER [--listen 127.0.0.1:0] -- COMMAND ...    serves while the command runs; {} is the URL of the archive
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { basename, dirname, resolve } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  options: { listen: { type: 'string', default: '127.0.0.1:8640' } },
  allowPositionals: true,
})
const [folder, ...command] = positionals
if (folder === undefined) throw new Error('usage: node serve.mjs FOLDER [--listen HOST:PORT] [-- COMMAND ...]')
const release = basename(resolve(folder))
const archive = pack(resolve(folder))
const [host, port] = values.listen.split(':')
const server = createServer(answer).listen(Number(port), host)
await once(server, 'listening')
const url = `http://${host}:${server.address().port}/${release}.tar`
if (command.length === 0) {
  process.stdout.write(`${url}\nsha256 ${createHash('sha256').update(archive).digest('hex')}\n`)
} else {
  process.exitCode = await run(command.map((word) => word.replaceAll('{}', url)))
  server.close()
  server.closeAllConnections()
}

/** The same bytes on every machine, so that a policy can name their checksum. */
function pack(path) {
  const always = ['--format=ustar', '--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner']
  const modes = '--mode=u=rwX,go=rX'
  return execFileSync('tar', ['--create', ...always, modes, `--directory=${dirname(path)}`, release])
}

function answer({ url: path }, response) {
  if (path === `/${release}.tar`) response.writeHead(200, { 'content-length': archive.length }).end(archive)
  else response.writeHead(404).end()
}

async function run([program, ...args]) {
  const [code] = await once(spawn(program, args, { stdio: 'inherit' }), 'close')
  return code ?? 1
}
