import { expect, test } from 'vitest'
import { parseNodes } from './nodes.ts'

test.each([
  ['nothing', '', {}],
  ['a name and a host', 'pve1=10.0.4.11', { pve1: { host: '10.0.4.11' } }],
  ['a host name', 'pve1=pve1.lan', { pve1: { host: 'pve1.lan' } }],
  ['a port', 'pve1=pve1.lan:2222', { pve1: { host: 'pve1.lan', sshPort: 2222 } }],
  ['a MAC', 'pve1=pve1.lan@AA:bb:CC:dd:ee:01', { pve1: { host: 'pve1.lan', mac: 'aa:bb:cc:dd:ee:01' } }],
  [
    'a port and a MAC with hyphens',
    'pve1=pve1.lan:2222@aa-bb-cc-dd-ee-01',
    { pve1: { host: 'pve1.lan', sshPort: 2222, mac: 'aa:bb:cc:dd:ee:01' } },
  ],
  ['IPv6', 'pve1=[fd00::11]:2222', { pve1: { host: 'fd00::11', sshPort: 2222 } }],
  [
    'several, with spaces and a comma at the end',
    ' a=10.0.0.1 , b=10.0.0.2,',
    { a: { host: '10.0.0.1' }, b: { host: '10.0.0.2' } },
  ],
])('%s is read', (_, list, nodes) => {
  const parsed = parseNodes(list)
  expect(parsed.ok && Object.fromEntries(parsed.nodes)).toEqual(nodes)
})

test.each([
  ['no name', '=10.0.0.1', /begin with a node/],
  ['no host', 'pve1', /begin with a node/],
  ['an empty host', 'pve1=', /host/],
  ['a host with a space', 'pve1=10.0.0.1 -oProxyCommand=x', /host/],
  ['an option for a host', 'pve1=-oProxyCommand', /host/],
  ['IPv6 without brackets', 'pve1=fd00::11', /host/],
  ['brackets around a name', 'pve1=[pve1.lan]', /host/],
  ['a port that is none', 'pve1=10.0.0.1:0', /port/],
  ['a port too large', 'pve1=10.0.0.1:65536', /port/],
  ['a MAC too short', 'pve1=10.0.0.1@aa:bb:cc:dd:ee', /MAC/],
  ['a MAC with other letters', 'pve1=10.0.0.1@aa:bb:cc:dd:ee:0g', /MAC/],
  ['a name with a slash', '../etc=10.0.0.1', /begin with a node/],
  ['one name twice', 'a=10.0.0.1,a=10.0.0.2', /second time/],
])('%s is refused', (_, list, problem) => {
  const parsed = parseNodes(list)
  expect(parsed).toMatchObject({ ok: false, problem: expect.stringMatching(problem) })
})
