import { describe, expect, test } from 'vitest'
import type { ResourceResult, Run } from '../../src/model/run.ts'
import { type DebianHost, prepareRootFilesystem, bootForTest } from './debian-host.ts'

const TIMEOUT_MS = 300_000

const rootFilesystem = await prepareRootFilesystem()
const unavailable = rootFilesystem.kind === 'unavailable' ? rootFilesystem.reason : undefined

const UNITS = '/etc/systemd/system'
const WANTED = '[Install]\nWantedBy=multi-user.target\n'
/** A service that is up once it listens, so that every start, by a fix or a boot, waits for that. */
function listening(port: number): string {
  const hex = port.toString(16).toUpperCase().padStart(4, '0')
  return `ExecStart=/usr/bin/env node -e 'require("net").createServer().listen(${port}, "0.0.0.0")'
ExecStartPost=/bin/sh -c 'until grep -q :${hex} /proc/net/tcp; do sleep 0.05; done'
`
}

/** All of them are there from the start; a violation starts some, and changes others. */
const FILES: Readonly<Record<string, string>> = {
  [`${UNITS}/telnet.socket`]: '[Socket]\nListenStream=2323\n[Install]\nWantedBy=sockets.target\n',
  [`${UNITS}/telnet.service`]: '[Service]\nExecStart=/bin/sleep infinity\n',
  [`${UNITS}/tftp.socket`]: '[Socket]\nListenDatagram=0.0.0.0:6969\n[Install]\nWantedBy=sockets.target\n',
  [`${UNITS}/tftp.service`]: '[Service]\nExecStart=/bin/sleep infinity\n',
  [`${UNITS}/mail.socket`]: '[Socket]\nListenStream=127.0.0.1:2500\n[Install]\nWantedBy=sockets.target\n',
  [`${UNITS}/mail.service`]: '[Service]\nExecStart=/bin/sleep infinity\n',
  [`${UNITS}/impostor.service`]: `[Service]\n${listening(22)}${WANTED}`,
  [`${UNITS}/web.service`]: `[Service]\nUser=nobody\n${listening(8088)}${WANTED}`,
  [`${UNITS}/miner.service`]: `[Service]\nExecStart=/usr/local/bin/a-miner-of-cryptocurrency infinity\n${WANTED}`,
  [`${UNITS}/worker.service`]: `[Service]\nExecStart=/usr/local/bin/worker infinity\n${WANTED}`,
}

const PREPARE = `
cp /bin/sleep /usr/local/bin/a-miner-of-cryptocurrency
cp /bin/sleep /usr/local/bin/worker
systemctl daemon-reload
systemctl enable --quiet --now mail.socket web worker
until grep -q :1F98 /proc/net/tcp; do sleep 0.1; done`

/** Violations on the host, one for each of the rules below. */
const VIOLATIONS = `
systemctl enable --quiet --now telnet.socket tftp.socket miner
mkdir -p ${UNITS}/mail.socket.d ${UNITS}/web.service.d ${UNITS}/worker.service.d
printf '[Socket]\\nListenStream=\\nListenStream=0.0.0.0:2500\\n' >${UNITS}/mail.socket.d/all.conf
printf '[Service]\\nUser=root\\n' >${UNITS}/web.service.d/root.conf
printf '[Service]\\nExecStart=\\nExecStart=/usr/local/bin/worker infinity 1\\n' >${UNITS}/worker.service.d/more.conf
systemctl daemon-reload
systemctl restart mail.socket web worker
cp /bin/sleep /usr/local/bin/worker.new && mv /usr/local/bin/worker.new /usr/local/bin/worker
systemctl disable --quiet --now ssh ssh.socket
systemctl enable --quiet --now impostor
systemctl disable --quiet --now cron
until ! systemctl is-active --quiet ssh && grep -q :0016 /proc/net/tcp && grep -q :1F98 /proc/net/tcp; do sleep 0.1; done`

/** What repairs it: no rule does so by itself. */
const REPAIRS = `
    - file:
        - ${UNITS}/mail.socket.d/all.conf: { ensure: absent }
        - ${UNITS}/web.service.d/root.conf: { ensure: absent }
        - ${UNITS}/worker.service.d/more.conf: { ensure: absent }
    - service:
        - telnet.socket: { ensure: stopped, enable: false }
        - tftp.socket: { ensure: stopped, enable: false }
        - miner: { ensure: stopped, enable: false }
        - impostor: { ensure: stopped, enable: false }
        - ssh: { ensure: running, enable: true }
        - cron: { ensure: running, enable: true }
        - mail.socket: { subscribe: [file#${UNITS}/mail.socket.d/all.conf] }
        - web: { subscribe: [file#${UNITS}/web.service.d/root.conf] }
        - worker: { subscribe: [file#${UNITS}/worker.service.d/more.conf] }`

const RULES = `
    - port:
        - tcp:2323: { ensure: closed }
        - udp:6969: { ensure: closed }
        - tcp:2500: { addresses: loopback, unit: mail.socket }
        - tcp:22: { process: /usr/sbin/sshd, unit: { one_of: [ssh.service, ssh.socket] } }
        - tcp:8088: { user: { not: root } }
        - "*": { only: [tcp:22, tcp:8088] }
    - process:
        - a-miner-of-cryptocurrency: { ensure: absent }
        - /usr/sbin/cron: {}
        - worker: { current: true, arguments: { excludes: ["1"] }, count: 1, unit: worker.service }
    - interface:
        - lo: { up: true, addresses: { includes: [127.0.0.1/8] } }
        - "*": { where_kind: wireless, up: false, driver_available: false }`

describe.skipIf(unavailable)(`listeners and processes of a host (${unavailable ?? 'booted for the test'})`, () => {
  test(
    'are found with their unit, fixed through it, and stay so beyond a reboot',
    async () => {
      const host = await bootedHost()
      expect(driftOf(await scan(host))).toEqual({})

      await host.shell(VIOLATIONS)
      const found = await scan(host)
      expect(driftOf(found)).toEqual({
        'port#tcp:2323': { ensure: 'listening' },
        'port#udp:6969': { ensure: 'listening' },
        'port#tcp:2500': { addresses: '0.0.0.0' },
        'port#tcp:22': { process: 'node', unit: 'impostor.service' },
        'port#tcp:8088': { user: 'root' },
        'port#*': { 'only tcp:2323': 'tcp:2323', 'only tcp:2500': 'tcp:2500', 'only udp:6969': 'udp:6969' },
        'process#a-miner-of-cryptocurrency': { ensure: 'running' },
        'process#/usr/sbin/cron': { ensure: 'absent' },
        'process#worker': { arguments: 'infinity 1', current: false },
      })
      expect(named(found, 'port#tcp:2323')?.drift[0]?.note).toBe('on ::, by systemd (telnet.socket)')
      expect(named(found, 'port#udp:6969')?.drift[0]?.note).toBe('on 0.0.0.0, by systemd (tftp.socket)')
      expect(named(found, 'process#a-miner-of-cryptocurrency')?.changeReason).toContain('its unit miner.service')

      await scan(host, ['--fix'])
      expect(driftOf(await scan(host))).toEqual({})
      await host.reboot()
      expect(driftOf(await scan(host))).toEqual({})
    },
    TIMEOUT_MS,
  )
})

async function bootedHost(): Promise<DebianHost> {
  const host = await bootForTest(rootFilesystem)
  for (const [path, text] of Object.entries(FILES)) await host.write(path, text)
  await host.write('/root/policy.yaml', `ccm:\n  resources:${REPAIRS}${RULES}\n`)
  await host.shell(PREPARE)
  return host
}

async function scan(host: DebianHost, args: readonly string[] = []): Promise<Run> {
  const argv = ['driftgate', 'scan', '/root/policy.yaml', '--report', 'json', ...args]
  const { code, stdout, stderr } = await host.run(argv)
  if (stdout === '') throw new Error(`driftgate ended with ${code} and no report: ${stderr}`)
  return JSON.parse(stdout) as Run
}

function resources({ policies }: Run): readonly ResourceResult[] {
  return policies.flatMap((policy) => policy.resources)
}

function named(run: Run, id: string): ResourceResult | undefined {
  return resources(run).find((each) => each.id === id)
}

/** What was observed of ports, processes and interfaces, by property; the verdict where there is no drift to tell. */
function driftOf(run: Run): Readonly<Record<string, unknown>> {
  const others = resources(run).filter(
    ({ type, verdict }) => ['port', 'process', 'interface'].includes(type) && verdict !== 'compliant',
  )
  return Object.fromEntries(
    others.map(({ id, drift, verdict, message }) => {
      const seen = drift.map(({ property, path, observed }) => [
        path === undefined ? property : `${property} ${path}`,
        observed,
      ])
      return [id, verdict === 'drifted' ? Object.fromEntries(seen) : `${verdict}: ${message}`]
    }),
  )
}
