import type { Change, ChatEvents } from 'protocol'
import { expect, test } from 'vitest'
import { rowsOf } from '../../scripts/property-runs.ts'
import { demoModel } from '../src/providers/index.ts'
import { createFakeClock } from './support/fake-clock.ts'
import { createSimulator } from './support/simulator.ts'
import { type Screen, startJarvis } from './support/start-jarvis.ts'

type Decide = (card: ChatEvents['chat:confirm_needed']) => {
  confirmed: boolean
  note?: string
  goesBackAfterMin?: 10
}
const approve: Decide = () => ({ confirmed: true })
const deny: Decide = () => ({ confirmed: false, note: 'not during the film' })

/** The product as a stranger starts it: demo model, demo cluster, the real gate; time runs as fast as it can. */
async function startDemo() {
  // Loading takes real time, in which the fake clock would run on.
  await import('demo-model')
  const clock = createFakeClock(Date.UTC(2026, 10, 21, 6, 42))
  const homelab = createSimulator({ clock, protectedTargets: new Set(), speed: 1 })
  const model = demoModel({ cluster: () => homelab.cluster.state() })
  const jarvis = await startJarvis({ homelab, model, clock })
  let sessionId: string | undefined

  async function whileTimePasses<T>(waited: Promise<T>): Promise<T> {
    let isOver = false
    const end = () => {
      isOver = true
    }
    waited.then(end, end)
    while (!isOver) await clock.advance(250)
    return await waited
  }

  return {
    ...jarvis,
    pass: (ms: number) => clock.advance(ms),
    newChat: () => {
      sessionId = undefined
    },
    /** One message to its end. `calls` in order, `cards` and `texts` of each turn of the model. */
    async ask(message: string, decide: Decide = approve) {
      const screen: Screen = await jarvis.connect()
      const sent = await screen.ask('chat:send', { message, ...(sessionId && { sessionId }) } as never)
      sessionId = sent.sessionId
      const cards: ChatEvents['chat:confirm_needed'][] = []
      let at = 0
      const done = screen.next('chat:done')
      for (let isDone = false; !isDone; ) {
        await whileTimePasses(
          new Promise<void>((resolve) => {
            const look = () => (screen.received.length > at ? resolve() : setImmediate(look))
            look()
          }),
        )
        for (; at < screen.received.length; at += 1) {
          const item = screen.received[at]
          if (item?.event === 'chat:confirm_needed') {
            const card = item.payload as unknown as ChatEvents['chat:confirm_needed']
            cards.push(card)
            await screen.ask('chat:confirm', {
              sessionId: sent.sessionId,
              toolUseId: card.toolUseId,
              ...decide(card),
            })
          }
          // A plan has a run of its own.
          if (item?.event === 'chat:done' && item.payload.runId === sent.runId) isDone = true
        }
      }
      await done
      const events = screen.received
      const text = events.flatMap(({ event, payload }) => (event === 'chat:token' ? [payload.text] : [])).join('')
      return {
        cards: cards.map(({ toolName, toolInput }) => `${toolName} ${toolInput.vmid}`),
        calls: events.flatMap(({ event, payload }) => (event === 'chat:tool_use' ? [String(payload.toolName)] : [])),
        text,
        suggestions: events.flatMap(({ event, payload }) =>
          event === 'chat:assistant' ? ((payload as Partial<ChatEvents['chat:assistant']>).suggestions ?? []) : [],
        ),
      }
    },
  }
}

const story = "pve runs hot and last night's backups are missing. Find out why and fix what you can."

test('the demo carries its story to the end: causes from the results, two cards, and a look whether it helped', async () => {
  const demo = await startDemo()
  const { text, cards, calls } = await demo.ask(story)
  expect(cards).toEqual(['restart_vm 123', 'start_vm 141'])
  expect(calls).toEqual(expect.arrayContaining(['get_node_temperature', 'get_recent_tasks', 'execute_ssh']))
  expect(text).toMatch(/pve is at 81 °C.*CPU at 7\d %.*load 24\.3 on 8 cores/)
  expect(text).toContain('123 frigate at 97 % of its 4 cores')
  expect(text).toContain('vfio-pci 0000:05:00.0: not ready 65535ms after FLR; giving up')
  expect(text).toContain('9 of 21 guests have no fresh backup')
  expect(text).toContain('141 pbs on agent is stopped')
  expect(text).toContain('onboot: 0')
  const [was, is] = /its temperature (\d+\.?\d*) °C → (\d+\.?\d*) °C/.exec(text)?.slice(1).map(Number) ?? []
  expect(was).toBe(81)
  expect(is).toBeLessThan(78)
  expect(text).toMatch(/CPU 97 % → 1\d %/)
  expect(text).toContain('pbs-main answers again')
  expect(text).toContain('built-in demo')
  expect(demo.guest(141)?.status).toBe('running')

  // Asked again, it sees what it did: nothing to restart, nothing to start, no second card.
  await demo.pass(120_000)
  const again = await demo.ask('and now?')
  expect(again.cards).toEqual([])
  expect(again.text).toMatch(/pve is at [56]\d °C/)
  expect(again.text).toContain('Nothing there is unusual')
  expect(again.text).toContain('pbs-main, which they failed on, answers now')
  expect(again.text).not.toContain('built-in demo')
})

test('who denies is obeyed, told what stays as it is, and not asked twice in an answer', async () => {
  const demo = await startDemo()
  const { text, cards } = await demo.ask(story, deny)
  expect(cards).toHaveLength(2)
  expect(text.match(/As you wish, I leave (?:123 frigate|141 pbs) as it is: “not during the film”/g)).toHaveLength(2)
  expect(text).not.toMatch(/That was it|answers again/)
  expect(demo.controls.effects.filter(({ kind }) => kind === 'power')).toEqual([])
})

test('a restart that fails, or helps nothing, is told as that', async () => {
  const demo = await startDemo()
  demo.controls.failNextTask(123, 'got no worker upid - start worker failed')
  const failed = await demo.ask('pve is at 81 °C. Why?')
  expect(failed.text).toContain('With 123 frigate that did not work.')
  expect(failed.text).toContain('got no worker upid')
  expect(failed.text).not.toContain('That was it')
})

test('what it says follows the cluster, not a script', async () => {
  const demo = await startDemo()
  demo.controls.renameGuest(123, 'cameras')
  expect((await demo.ask('why is pve so hot', deny)).text).toContain('123 cameras at 97 %')
  demo.newChat()
  demo.controls.setStatus(123, 'stopped')
  await demo.pass(120_000)
  const idle = await demo.ask('why is pve so hot')
  expect(idle.cards).toEqual([])
  expect(idle.text).toContain('Nothing there is unusual')
  demo.newChat()
  demo.controls.setNodeOffline('agent', true)
  await demo.pass(600_000)
  const away = await demo.ask('why are backups missing?')
  expect(away.cards).toEqual([])
  expect(away.text).toContain('agent is offline, and its server may be there')
  expect((await demo.ask('what happened to agent?')).text).toContain('agent is offline')
})

/** Sentences that the pages offer, and sentences that a stranger types. */
const questions: [string, RegExp][] = [
  ['pve is at 81 °C. Why?', /The cause is 123 frigate/],
  ['Why are backups missing?', /9 of 21 guests have no fresh backup/],
  ['nvme-fast is 91 % full. What grew?', /911 GiB of it is one snapshot: `before-upgrade` of 123 frigate/],
  ['Why is the storage pbs-main not reachable?', /its server is down: 141 pbs/],
  ['Why does 123 use so much CPU?', /lost .*Arc A380/],
  ['What keeps pve busy?', /The cause is 123 frigate/],
  ['What uses the memory of pve?', /103 truenas uses the most memory on pve: 29.4 of 32 GiB/],
  ['Why did vzdump fail on pve?', /No route to host/],
  ['What happened in the last 12 hours?', /ran 25 tasks, \*\*9 failed\*\*/],
  ['What happened to agent?', /agent is online.*\n\nIts last tasks/],
  ['Why is there no quorum?', /There is a quorum/],
  ['How is the cluster?', /Not quite, sir: \d+ things need a look/],
  ['How is guest 104?', /104 jellyfin, a container on pve, runs for 20 d/],
  ['How is node agent1?', /agent1 is up for 41 d.*Guests: 4 of 4 running/],
  ['What fills tank-nfs?', /tank-nfs is 78 % full.*\n\nOf backups it holds 30, of 10 guests/],
  ['is everything fine?', /All 4 nodes are online/],
  ['which backups are missing?', /9 of 21 guests have no fresh backup/],
  ['bakups ok??', /9 of 21 guests have no fresh backup/],
  ['is my data safe?', /9 of 21 guests have no fresh backup/],
  ['list the backups', /^30 backups can be read now, of 10 guests\. Of 9 more/],
  ['how do I use you?', /^- \*\*Look\*\* at the cluster/],
  ['wich guests use the most memmory', /103 truenas uses the most memory/],
  ['what happend today', /tasks, \*\*9 failed\*\*/],
  ['pve is slow', /The cause is 123 frigate/],
  ['hows it going', /Not quite, sir/],
  ['how hot are the nodes', /pve is at 8\d[.\d]* °C, which is hot\. The others: Home 5\d/],
  ['is jelyfin runing?', /104 jellyfin, a container on pve, runs/],
  ['how much space is left?', /nvme-fast is the fullest, with 91 % used/],
  ['which snapshots does frigate have?', /before-upgrade/],
  ['which guests are in no backup job?', /in no enabled backup job:\n\n- /],
  ['are the disks healthy?', /Needs attention:\n\n- /],
  ['show the config of 104', /Films and series/],
  ['what did you change today?', /^0 changes/],
  ['undo that', /^I changed nothing yet, sir/],
  ['roll 123 back to nothing-like-it', /no snapshot .*nothing-like-it/],
  [
    'restore vaultwarden',
    /`\/restore_guest archive=\S+:backup\/\S+ newId=114 name=vaultwarden-restored node=Home storage=\S+`/,
  ],
  ['destroy 122', /JARVIS destroys no guest that it did not make/],
  ['drain nuc2', /no node called “nuc2”/],
  ['move everything off pve', /104 jellyfin: mp0 is a folder of pve\.[\s\S]*So I propose no plan/],
  ['check my disks by the book', /^What the skill disk-health says[\s\S]*14 % of its life left/],
  ['/disk-health what about pve?', /^What the skill disk-health says/],
  ['what can you do?', /take a change of mine back.*For create_guest.* I have no sentence/s],
  ['write me a poem', /no sentence like that with “write”[\s\S]*\n- “.*\n- “.*\n- “/],
]

test('every question that is offered, and plain ones with slips, gets an answer in prose and asks for nothing unasked', async () => {
  const demo = await startDemo()
  const dumps: string[] = []
  for (const [question, expected] of rowsOf(questions, 15)) {
    demo.newChat()
    const { text, cards } = await demo.ask(question, deny)
    expect(text, question).toMatch(expected)
    if (/```/.test(text) && !/^What happened to|config of/.test(question)) dumps.push(question)
    if (!/why|keeps|slow/i.test(question)) expect(cards, question).toEqual([])
  }
  expect(dumps).toEqual([])
})

test('an order waits on its card, and the outcome is a sentence', async () => {
  const demo = await startDemo()
  const restarted = await demo.ask('restart jellyfin')
  expect(restarted.cards).toEqual(['restart_container 104'])
  expect(restarted.text).toMatch(/^Very good, sir\. Container 104 jellyfin on pve: the restart task ended OK/)
  demo.newChat()
  expect((await demo.ask('restart immich', deny)).text).toMatch(/^As you wish, I leave 105 immich as it is/)
})

test('a task of several steps is one plan on one card', async () => {
  const demo = await startDemo()
  const moved = await demo.ask('move everything off agent and reboot it')
  expect(moved.cards).toEqual(['propose_plan undefined'])
  expect(moved.calls).toEqual(['get_guest_config', 'propose_plan', 'migrate_guest', 'reboot_node'])
  expect(moved.text).toMatch(/I would move 140 uptime-kuma to Home[\s\S]*is done\.\n\n1\. done, .*\n2\. done, .*back/)
  expect(demo.guest(140)?.node).toBe('Home')
  demo.newChat()
  const denied = await demo.ask('take a snapshot of gitea, then restart it, in one go', deny)
  expect(denied.cards).toEqual(['propose_plan undefined'])
  expect(denied.text).toMatch(/As you wish.*“not during the film”/)
  demo.newChat()
  expect((await demo.ask('move 140 to agent, then reboot Home, in one go', deny)).cards).toEqual([
    'propose_plan undefined',
  ])
  demo.newChat()
  // Nothing runs there now, so one call is enough.
  const alone = await demo.ask('reboot agent with its guests moved away', deny)
  expect(alone.cards).toEqual(['reboot_node undefined'])
})

test('a change, a snapshot and what takes them back are said in plain sentences', async () => {
  const demo = await startDemo()
  const changes = async () => ((await (await demo.rest('/api/changes')).json()) as { items: Change[] }).items
  const given = await demo.ask('give vaultwarden 2 cores and 2 GB', () => ({ confirmed: true, goesBackAfterMin: 10 }))
  expect(given.calls).toEqual(['set_guest_config'])
  expect(given.text).toContain('cores: 2; memory: 2048')
  const [armed] = await changes()
  expect(armed).toMatchObject({ state: 'armed', goesBackAt: expect.any(Number) })
  expect((await demo.rest(`/api/changes/${armed?.id}/keep`, { method: 'POST' })).status).toBe(200)

  const noted = await demo.ask('note on vaultwarden: passwords, of all of us')
  expect(noted.cards).toEqual([])
  expect(noted.text).toContain('passwords, of all of us')
  expect((await demo.ask('undo that')).text).toMatch(/It is taken back, sir/)
  expect((await demo.ask('show the config of vaultwarden')).text).not.toContain('passwords, of all of us')
  const twice = await demo.ask('undo that')
  expect(twice.calls).toEqual(['list_changes'])
  expect(twice.text).toMatch(/^That is taken back already, sir, .* Do you want the change made again\?/)
  expect((await demo.ask('redo that')).text).toMatch(/It is made again, sir/)
  expect((await demo.ask('show the config of vaultwarden')).text).toContain('passwords, of all of us')
  expect((await demo.ask('redo that')).text).toMatch(/^I took nothing back last/)
  expect((await demo.ask('undo that')).text).toMatch(/It is taken back, sir/)

  for (const name of ['first', 'second'])
    expect((await demo.ask(`take a snapshot of vaultwarden called ${name}`)).text).toContain(`${name} is taken`)
  const refused = await demo.ask('roll vaultwarden back to first')
  expect(refused.cards).toEqual([])
  expect(refused.text).toMatch(/goes back only to its newest snapshot.*second/)
  expect((await demo.ask('which snapshots does it have?')).text).toMatch(/- first.*\n- second/)
  const back = await demo.ask('take it back')
  expect(back.cards).toHaveLength(1)
  expect(back.text).toContain('second is deleted')
  const said = await demo.ask('what did you change today?')
  expect(said.text).toMatch(/snapshot first/)
  expect((await demo.ask('does the backup of vaultwarden restore?')).text).toContain('of 113 is proven to level 5')
  expect((await demo.ask('show the restore proofs')).text).toMatch(/- 113 vaultwarden: level 5/)
})

const notWorking =
  /no sentence|did nothing|nothing called|Which (?:one|of these)|There is no|refused|came to nothing|did not work|not offered|may not use/

test.each([
  ['at once', 0],
  ['after ten minutes', 600_000],
])('every sentence that it suggests works on the untouched demo, %s', async (_, laterMs) => {
  const demo = await startDemo()
  await demo.pass(laterMs)
  const sentences = new Set<string>()
  for (const message of ['hi', 'what can you do?', 'schedule a backup every night']) {
    demo.newChat()
    for (const sentence of (await demo.ask(message, deny)).suggestions) sentences.add(sentence)
  }
  expect([...sentences]).toEqual(expect.arrayContaining(['why is pve hot?', 'why are backups missing?', 'start pbs']))
  const failures: string[] = []
  for (const sentence of sentences) {
    demo.newChat()
    const { text } = await demo.ask(sentence, deny)
    if (text.trim() === '' || notWorking.test(text)) failures.push(`${sentence} → ${text}`)
  }
  expect(failures).toEqual([])
})

test('yes means the sentence that was offered, waits on its card too, and means nothing where none was', async () => {
  const demo = await startDemo()
  const offered = await demo.ask('which backups are missing?')
  expect(offered.suggestions).toEqual(['start pbs'])
  const done = await demo.ask('ja, mach das')
  expect(done.cards).toEqual(['start_vm 141'])
  expect(demo.guest(141)?.status).toBe('running')
  demo.newChat()
  await demo.ask('how many cores does jellyfin have?')
  const none = await demo.ask('yes')
  expect(none.calls).toEqual([])
  expect(none.text).toContain('I offered nothing just now')
})

test('a node that JARVIS rebooted has not lost its power', async () => {
  const demo = await startDemo()
  await demo.ask('reboot agent')
  const { text } = await demo.ask('why are backups missing?', deny)
  expect(text).not.toContain('lost its power')
  expect(text).toMatch(/agent, which I rebooted .* ago/)
})
