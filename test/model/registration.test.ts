import { expect, test } from 'vitest'
import { type Registration, registrationSubject } from '../../src/model/registration.ts'

const entry: Registration = {
  cluster: 'prod',
  service: 'web',
  protocol: 'http',
  address: '10.0.0.1',
  port: 80,
  priority: 1,
  annotations: {},
}

// The digests were computed by a few lines of Python that give the published vectors of FNV-1a, too.
test.each<[Partial<Registration>, string]>([
  [{}, 'prod.http.web.10_0_0_1.b5dab0e5bff8ac7a'],
  [{ port: 8080 }, 'prod.http.web.10_0_0_1.8615c9f698160162'],
  [{ priority: 9, annotations: { a: 'b' }, ttl: '1m' }, 'prod.http.web.10_0_0_1.b5dab0e5bff8ac7a'],
  [
    { cluster: 'c', service: 's', protocol: 'p', address: '2001:db8::1', port: 443 },
    'c.p.s.2001:db8::1.0b2d9ff799c0bd98',
  ],
])('the subject of an entry with %j', (members, words) => {
  expect(registrationSubject({ ...entry, ...members })).toBe(`choria.ccm.registration.v1.${words}`)
})
