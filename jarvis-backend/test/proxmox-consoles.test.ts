import type { ConsoleGuest } from 'homelab-ports/ports'
import { expect, onTestFinished, test } from 'vitest'
import { Transport } from '../src/homelab/connect.ts'
import { calm, connectionTo, startProxmox } from './support/start-proxmox.ts'

const dns: ConsoleGuest = { vmid: 200, type: 'ct', node: 'pve1' }
const web: ConsoleGuest = { vmid: 100, type: 'vm', node: 'pve1' }
const size = { cols: 80, rows: 24 }

/** Keeps what a console says. */
function listener() {
  let said = Buffer.alloc(0)
  const ends: (string | undefined)[] = []
  return {
    ends,
    said: () => said,
    on: {
      ...calm(),
      onOutput: (data: string | Uint8Array) => {
        said = Buffer.concat([said, Buffer.from(data as string)])
      },
      onEnd: (reason?: string) => void ends.push(reason),
    },
    async sees(text: string) {
      await expect.poll(() => said.toString(), { interval: 5 }).toContain(text)
    },
  }
}

test('a container’s terminal: held until it is wanted, sized, typed into, kept alive and ended', async () => {
  const { fake, cluster } = await startProxmox({ entries: 2 })
  // The port is open at the address that answered, and that is the other one.
  await fake.control.closeEntry(0)
  const heard = listener()
  const session = await cluster.consoles.terminal(dns, { size, ...heard.on })
  expect(heard.said()).toHaveLength(0)
  session.resume()
  await heard.sees('login: ')
  session.write('grün 🙂')
  await heard.sees('login: grün 🙂')
  expect(heard.said().toString()).not.toContain('\uFFFD')
  session.resize({ cols: 132, rows: 43 })
  const [console] = await fake.control.consoles()
  await expect
    .poll(async () => (await fake.control.consoles())[0]?.messages, { interval: 20 })
    .toEqual(expect.arrayContaining(['1:80:24:', '0:10:grün 🙂', '1:132:43:', '2']))
  expect(console).toMatchObject({ vmid: 200, proxy: 'termproxy', node: 'pve1' })
  session.write('exit\r')
  await expect.poll(() => heard.ends, { interval: 5 }).toEqual(['Proxmox closed it'])
})

test('a VM’s screen carries bytes both ways, has its password, holds back what is not wanted, and closes', async () => {
  const { fake, cluster } = await startProxmox()
  const heard = listener()
  const session = await cluster.consoles.screen(web, heard.on)
  expect(session.password).toMatch(/^[0-9a-f]{8}$/)
  session.resume()
  await heard.sees('RFB 003.008\n')
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i)
  session.write(bytes)
  await expect.poll(() => heard.said().subarray(12), { interval: 5 }).toEqual(Buffer.from(bytes))
  session.pause()
  const before = heard.said().length
  await fake.control.tellConsoles('x'.repeat(100_000), 10)
  expect(heard.said()).toHaveLength(before)
  session.resume()
  await expect.poll(() => heard.said().length, { interval: 5 }).toBe(before + 1_000_000)
  session.close()
  expect(heard.ends).toEqual([undefined])
  await expect.poll(async () => (await fake.control.consoles())[0]?.isOpen).toBe(false)
})

test('what refuses a console is said, by the right it lacks where that is the reason', async () => {
  const { fake, cluster } = await startProxmox()
  const open = (guest: ConsoleGuest) =>
    guest.type === 'vm'
      ? cluster.consoles.screen(guest, listener().on)
      : cluster.consoles.terminal(guest, { size, ...listener().on })
  // The port is closed again before anybody comes.
  await expect(open({ vmid: 102, type: 'vm', node: 'pve1' })).rejects.toMatchObject({
    code: expect.stringMatching(/^cluster_/),
  })
  await expect(open({ ...web, vmid: 999 })).rejects.toThrow(/999.conf' does not exist/)
  for (const match of ['vncproxy', 'termproxy']) {
    await fake.control.addFault({ match, times: 1, kind: 'says', text: '{"data":{"port":"5900"}}' })
  }
  await expect(open(web)).rejects.toThrow(/answered vncproxy with something else/)
  await expect(open(dns)).rejects.toThrow(/answered termproxy with something else/)
  await fake.control.setRights({ '/': { 'VM.Audit': 1 } })
  await expect(open(web)).rejects.toThrow('The API token lacks a right: Permission check failed (/vms/100, VM.Console)')
  expect(await fake.control.consoles()).toEqual([])
  const gone = AbortSignal.abort(new Error('gone'))
  await expect(cluster.consoles.screen(web, { ...listener().on, signal: gone })).rejects.toThrow('gone')
})

test('before November 2025 a ticket is a screen’s password, and no container’s terminal takes a token’s', async () => {
  const { cluster } = await startProxmox({ isOld: true })
  const session = await cluster.consoles.screen(web, listener().on)
  expect(session.password).toMatch(/^PVEVNC:/)
  await expect(cluster.consoles.terminal(dns, { size, ...listener().on })).rejects.toThrow(
    /proxmox-termproxy older than 2\.0\.3/,
  )
})

test('a certificate that changes between the ticket and the socket gets neither the token nor the ticket', async () => {
  const { fake } = await startProxmox()
  const api = new Transport(connectionTo(fake), Date.now)
  onTestFinished(() => api.close())
  const path = ['nodes', 'pve1', 'qemu', 100]
  const { data, dial } = await api.postAt([...path, 'vncproxy'], { websocket: '1' }, calm())
  const { port, ticket } = data as { port: string; ticket: string }
  await fake.control.renewCertificate(0)
  const asked = dial([...path, 'vncwebsocket'], { port, vncticket: ticket }, calm().signal)
  await expect(asked).rejects.toThrow(/another certificate/)
  expect(await fake.control.consoles()).toEqual([])
})
