import { describe, expect, test } from 'vitest'
import { createLocalProbe } from '../../../../src/host/live/probe.ts'
import { known } from '../../../../src/model/observation.ts'
import { storedOfFirewalld } from '../../../../src/subjects/firewall/live/stored.ts'
import { type Configuration, configured } from './firewalld-configuration.ts'

describe('parts of firewalld besides zones are unknown', () => {
  const ZONE = '<zone><service name="ssh"/></zone>'
  const SSH = '<service><port protocol="tcp" port="22"/></service>'
  test.each<readonly [string, Configuration, RegExp]>([
    [
      'rules of its own',
      { 'direct.xml': '<direct><rule priority="0">-j ACCEPT</rule></direct>' },
      /direct\.xml has rules/,
    ],
    ['another backend', { 'firewalld.conf': 'FirewallBackend=iptables\n' }, /FirewallBackend is not nftables/],
    [
      'an invalid default zone',
      { 'firewalld.conf': 'DefaultZone=nowhere\n' },
      /the zone of DefaultZone does not exist/,
    ],
    ['a zone that is no XML', { 'zones/public.xml': '<zone>' }, /zone public: not a valid firewalld file/],
    ['an invalid target', { 'zones/public.xml': '<zone target="OPEN"/>' }, /zone public: not a valid/],
    ['an invalid service', { 'zones/public.xml': '<zone><service name="nothing"/></zone>' }, /services\/nothing\.xml/],
    ['an element that is not known', { 'zones/public.xml': '<zone><gate/></zone>' }, /unsupported element "gate"/],
    ['a priority', { 'zones/public.xml': '<zone priority="3"/>' }, /zone public: zone priorities are not supported/],
    [
      'a rule that is not understood',
      {
        'zones/public.xml':
          '<zone><rule><port port="1" protocol="tcp"/><port port="2" protocol="tcp"/><accept/></rule></zone>',
      },
      /zone public: unsupported rich rule/,
    ],
    [
      'an interface of two zones',
      {
        'zones/a.xml': '<zone><interface name="eth0"/></zone>',
        'zones/b.xml': '<zone><interface name="eth+"/></zone>',
      },
      /also assigned to another zone/,
    ],
  ])('%s', async (_name, files, detail) => {
    const own = { 'services/ssh.xml': SSH, 'zones/public.xml': ZONE, 'zones/other.xml': ZONE }
    const directory = configured({ ...own, ...files })
    const rules = await storedOfFirewalld(createLocalProbe(), directory)
    expect(rules).toMatchObject({ kind: 'unknown', detail: expect.stringMatching(detail) })
  })

  test('zones of NetworkManager', async () => {
    const directory = configured({ 'zones/public.xml': '<zone/>' })
    const local = createLocalProbe()
    const [place, name] = ['/etc/NetworkManager/system-connections', 'red.nmconnection']
    const saying = (zone: string): typeof local => ({
      ...local,
      list: (path) => (path === place ? known([name]) : local.list(path)),
      readText: (path) => (path === `${place}/${name}` ? known(`[connection]\nzone=${zone}\n`) : local.readText(path)),
    })
    expect((await storedOfFirewalld(saying('public'), directory)).kind).toBe('known')
    expect(await storedOfFirewalld(saying('trusted'), directory)).toMatchObject({
      kind: 'unknown',
      detail: expect.stringContaining('assigns its interface to the zone trusted'),
    })
  })
})
