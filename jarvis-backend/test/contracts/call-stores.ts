import type { Card } from 'protocol'
import { expect, test } from 'vitest'
import type { AttachmentStore } from '../../src/agent/attachments.ts'
import type { KeptRunStore } from '../../src/agent/sessions/kept-runs.ts'
import type { ChangeStore, StoredChange } from '../../src/calls/changes/change.ts'
import type {
  AttachedSignInStore,
  AttachedStore,
  Claim,
  ConfirmationStore,
  ExecutionStore,
  GrantStore,
  ImageStore,
  StoredConfirmation,
  StoredGrant,
} from '../../src/calls/ports.ts'
import type { Asked, AskedStore } from '../../src/v1/asked.ts'

type Open<Store> = () => Store

const target = { kind: 'guest', id: 'vm/103', vmid: 103 } as const
const requestedBy = { kind: 'chat', name: 'scripted/model' } as const

/** Each store knows the sessions `ses_1` and `ses_2`, and nothing else. */
const asked = (toolUseId: string, more: Partial<StoredConfirmation & Card> = {}): StoredConfirmation => {
  const { sessionId = 'ses_1', runId = 'run_1', callKey = 'stop 103', ...card } = more
  const words = { reason: 'It stops.', rule: 'base', now: 'running', then: 'stopped', affects: 'Nothing else found' }
  const times = { createdAt: 10, expiresAt: 100 }
  const call = { toolUseId, toolName: 'stop_vm', toolInput: { vmid: 103 }, tier: 'red', target, requestedBy } as const
  return { card: { ...call, ...words, ...times, ...card }, sessionId, runId, bindingHash: `hash ${toolUseId}`, callKey }
}

export function confirmationStoreContract(open: Open<ConfirmationStore>) {
  test('a card comes back as it was added, and is decided once', () => {
    const store = open()
    store.add(asked('tu_1'))
    expect(store.get('tu_1')).toEqual(asked('tu_1'))
    expect(store.get('tu_2')).toBeUndefined()
    const denial = { decision: 'denied', by: 'operator', note: 'Not now.', at: 20 } as const
    expect(store.resolve('tu_1', denial)).toBe(true)
    expect(store.resolve('tu_1', { decision: 'approved', by: 'other', at: 21 })).toBe(false)
    expect(store.resolve('tu_2', denial)).toBe(false)
    expect(store.get('tu_1')).toEqual({ ...asked('tu_1'), resolution: denial })
  })

  test('of a call the newest card counts', () => {
    const store = open()
    store.add(asked('tu_1'))
    store.add(asked('tu_2', { callId: 'tu_1' }))
    expect(store.ofCall('tu_1')?.card.toolUseId).toBe('tu_2')
    expect(store.ofCall('tu_2')).toBeUndefined()
  })

  test('what waits is listed by session and in order, and counted', () => {
    const store = open()
    store.add(asked('tu_1', { expiresAt: 300 }))
    store.add(asked('tu_2', { expiresAt: 200, sessionId: 'ses_2' }))
    store.add(asked('tu_3', { createdAt: 11 }))
    store.resolve('tu_3', { decision: 'approved', by: 'operator', at: 50 })
    const ids = (rows: StoredConfirmation[]) => rows.map(({ card }) => card.toolUseId)
    expect([ids(store.pending()), ids(store.pending('ses_1'))]).toEqual([['tu_2', 'tu_1'], ['tu_1']])
    expect(store.pendingCounts()).toEqual(
      new Map([
        ['ses_1', 1],
        ['ses_2', 1],
      ]),
    )
    expect(store.list(50).map(({ toolUseId, decision }) => [toolUseId, decision])).toEqual([
      ['tu_2', undefined],
      ['tu_1', undefined],
      ['tu_3', 'approved'],
    ])
    expect(store.list(51)).toHaveLength(2)
  })

  test('a card that was seen has its own end and is unseen no more', () => {
    const store = open()
    store.add(asked('tu_1'))
    store.add(asked('tu_2', { sessionId: 'ses_2' }))
    expect([store.unseen().length, store.unseen('ses_2').length]).toEqual([2, 1])
    store.see('tu_2', 40, 140)
    expect([store.unseen().length, store.unseen('ses_2').length]).toEqual([1, 0])
    expect(store.get('tu_2')?.card.expiresAt).toBe(140)
  })

  test('a denial counts in runs that share it, or in its session since a time, until it is taken back', () => {
    const store = open()
    const denial = { decision: 'denied', by: 'operator', at: 20 } as const
    store.add(asked('tu_1'))
    store.resolve('tu_1', denial)
    const counts = [{ runIds: ['run_0', 'run_1'] }, { sessionId: 'ses_1', since: 20 }]
    const not = [{ runIds: ['run_2'] }, { sessionId: 'ses_2', since: 0 }, { sessionId: 'ses_1', since: 21 }]
    for (const where of counts) expect(store.denied('stop 103', where)).toEqual(denial)
    for (const where of not) expect(store.denied('stop 103', where)).toBeUndefined()
    expect(store.denied('stop 104', { runIds: ['run_1'] })).toBeUndefined()
    store.add(asked('tu_2', { runId: 'run_9', requestedBy: { kind: 'v1', name: 'hass', token: 'hass' } }))
    const earlier = { ...denial, at: 19 }
    store.resolve('tu_2', earlier)
    expect(store.denied('stop 103', { token: 'hass', since: 19 })).toEqual(earlier)
    expect(store.denied('stop 103', { token: 'other', since: 19 })).toBeUndefined()
    expect([store.lift('tu_1', 30), store.lift('tu_1', 31), store.lift('tu_9', 31)]).toEqual([true, false, false])
    expect(store.denied('stop 103', { runIds: ['run_1'] })).toBeUndefined()
    expect(store.list(0)[0]?.liftedAt).toBe(30)
  })
}

export function grantStoreContract(open: Open<GrantStore>) {
  const grant = (id: string, more: Partial<StoredGrant> = {}): StoredGrant => ({
    id,
    key: 'stop 103',
    toolName: 'stop_vm',
    toolInput: { vmid: 103 },
    target,
    rule: 'base',
    requestedBy,
    by: 'operator',
    toolUseId: 'tu_1',
    createdAt: 10,
    expiresAt: 100,
    uses: 2,
    usesLeft: 2,
    ...more,
  })

  test('a grant is used as often as it says, under its own key and in its time', () => {
    const store = open()
    // The kind is one that a later release knows.
    const scope = { id: 'path/compose', words: 'changes of files in "compose" and its folders' }
    const granted = grant('gr_1', { requestedBy: { kind: 'job', name: 'nightly' }, scope })
    store.add(granted)
    expect(store.live()).toEqual([granted])
    expect([store.use('gr_1', 'stop 104', 50), store.use('gr_1', 'stop 103', 9)]).toEqual([undefined, undefined])
    expect(store.use('gr_1', 'stop 103', 100)).toBeUndefined()
    expect([50, 51, 52].map((at) => store.use('gr_1', 'stop 103', at))).toEqual([1, 0, undefined])
    expect([store.live(), store.end('gr_1', 60)]).toEqual([[], undefined])
  })

  test('the soonest to expire covers a call, where more is left than is reserved', () => {
    const store = open()
    store.add(grant('gr_late', { expiresAt: 200 }))
    store.add(grant('gr_soon'))
    const covering = (at: number, reserved = 0) =>
      store.covering('stop 103', at, (id) => (id === 'gr_soon' ? reserved : 0))?.id
    expect([covering(50), covering(50, 2), covering(100), covering(9), covering(200)]).toEqual([
      'gr_soon',
      'gr_late',
      'gr_late',
      undefined,
      undefined,
    ])
  })

  test('a grant ends once', () => {
    const store = open()
    store.add(grant('gr_1'))
    expect([store.end('gr_1', 50), store.end('gr_1', 51)]).toEqual([grant('gr_1'), undefined])
    expect([store.use('gr_1', 'stop 103', 52), store.covering('stop 103', 52, () => 0)]).toEqual([undefined, undefined])
  })
}

export function executionStoreContract(open: Open<ExecutionStore>) {
  const claim = (toolUseId: string, vmid = 103): Claim => ({
    toolUseId,
    sessionId: 'ses_1',
    runId: 'run_1',
    toolName: 'stop_vm',
    toolInput: { vmid },
    tier: 'red',
    bindingHash: 'hash',
    at: 10,
  })

  test('a call is claimed once, whatever became of it', () => {
    const store = open()
    expect(store.get('tu_1')).toBeUndefined()
    store.claim(claim('tu_1'))
    expect(() => store.claim(claim('tu_1'))).toThrow()
    store.settle('tu_1', 20, 'failed')
    expect(() => store.claim(claim('tu_1'))).toThrow()
    expect(store.get('tu_1')).toEqual({
      sessionId: 'ses_1',
      runId: 'run_1',
      toolName: 'stop_vm',
      toolInput: { vmid: 103 },
      startedAt: 10,
      outcome: 'failed',
    })
  })

  test('of other calls on the same guest, the tasks are known and those without a certain end are counted', () => {
    const store = open()
    for (const id of ['tu_own', 'tu_task', 'tu_open', 'tu_unknown', 'tu_done']) store.claim(claim(id))
    store.claim(claim('tu_elsewhere', 104))
    store.noteTask('tu_task', 'UPID:1')
    expect([store.upids(10), store.upids(11)]).toEqual([new Set(['UPID:1']), new Set()])
    store.settle('tu_unknown', 20, 'unknown')
    store.settle('tu_done', 20, 'done')
    expect(store.get('tu_task')?.upid).toBe('UPID:1')
    expect(store.others('tu_own')).toEqual({ upids: new Set(['UPID:1']), open: 2 })
    expect(store.others('tu_elsewhere')).toEqual({ upids: new Set(), open: 0 })
  })
}

export function keptRunStoreContract(open: Open<KeptRunStore>) {
  test('a kept run is listed in its session alone, newest first, and kept once', () => {
    const store = open()
    const run = (id: string, sessionId: string, at: number) => ({ id, sessionId, tokenName: 'laptop', at })
    const [first, second, other] = [run('run_1', 'ses_1', 10), run('run_2', 'ses_1', 20), run('run_3', 'ses_2', 30)]
    for (const kept of [first, second, other, { ...first, at: 40 }]) store.keep(kept)
    expect([store.get('run_1'), store.get('run_9')]).toEqual([first, undefined])
    expect([store.list('ses_1', 9), store.list('ses_1', 1), store.list('ses_2', 9)]).toEqual([
      [second, first],
      [second],
      [other],
    ])
  })
}

export function imageStoreContract(open: Open<ImageStore>) {
  test('a picture is kept once a session, and is of no other', () => {
    const store = open()
    const image = { mimeType: 'image/png', data: Buffer.from('pixels') } as const
    const kept = store.keep('ses_1', image)
    expect(kept).toMatchObject({ mimeType: 'image/png', bytes: 6 })
    expect(store.keep('ses_1', image)).toEqual(kept)
    expect(store.get('ses_1', kept.id)).toEqual(image)
    expect([store.get('ses_2', kept.id), store.get('ses_1', 'other')]).toEqual([undefined, undefined])
  })
}

export function attachedStoreContract(open: Open<AttachedStore>) {
  test('what a server listed counts at its own address, and is forgotten with its tiers', () => {
    const store = open()
    const row = { toolName: 'echo', hash: 'h1', tier: 'green', setBy: 'operator', setAt: 10 } as const
    store.keepListed('odd', 'npx odd', [{ name: 'echo' }])
    store.setTier('odd', row)
    expect([store.listed('odd', 'npx odd'), store.listed('odd', 'npx even')]).toEqual([[{ name: 'echo' }], undefined])
    store.setTier('odd', { ...row, tier: 'red', changedAt: 20 })
    store.setTier('even', row)
    expect(store.tiers('odd')).toEqual([{ ...row, tier: 'red', changedAt: 20 }])
    store.forget('odd')
    expect([store.listed('odd', 'npx odd'), store.tiers('odd'), store.tiers('even')]).toEqual([undefined, [], [row]])
  })
}

/** @param open a store over the same rows each time, with a box that can open what it has sealed, or not */
export function attachedSignInStoreContract(open: () => (canOpen?: boolean) => AttachedSignInStore) {
  test('the newest sign-in of a server comes back until it is forgotten, also in another process', () => {
    const over = open()
    const store = over()
    expect(store.all()).toEqual(new Map())
    store.keep('odd', 'first')
    store.keep('odd', 'second')
    store.keep('even', 'other')
    expect(over().all()).toEqual(
      new Map([
        ['odd', 'second'],
        ['even', 'other'],
      ]),
    )
    store.forget('odd')
    store.forget('nobody')
    expect(over().all()).toEqual(new Map([['even', 'other']]))
  })

  test('a sign-in that cannot be opened is listed without its text, and can be replaced', () => {
    const over = open()
    over().keep('odd', 'first')
    expect(over(false).all()).toEqual(new Map([['odd', undefined]]))
    over().keep('odd', 'second')
    expect(over().all()).toEqual(new Map([['odd', 'second']]))
  })
}

export function changeStoreContract(open: Open<ChangeStore>) {
  const change = (id: string, more: Partial<StoredChange> = {}) => ({
    id,
    sessionId: 'ses_1',
    toolName: 'set_level',
    toolInput: { vmid: 104 },
    target: { kind: 'guest', id: 'ct/104' } as const,
    requestedBy: { kind: 'command', name: 'anna' },
    sentence: 'The level is 9.',
    at: 10,
    undo: { kind: 'none', because: 'Nothing does.' } as const,
    ...more,
  })

  test('a change goes back as long after it began as its card was armed, and is armed once', () => {
    const store = open()
    store.arm('tu_1', 600)
    expect(store.begin(change('tu_1'))).toBe(610)
    expect(store.begin(change('tu_2'))).toBeUndefined()
    expect(store.get('tu_1')).toEqual({ ...change('tu_1'), state: 'running', goesBackAt: 610 })
    expect(() => store.begin(change('tu_1'))).toThrow()
    expect(store.due().map(({ id }) => id)).toEqual(['tu_1'])
  })

  test('of two that move a change on from the same state one wins', () => {
    const store = open()
    store.arm('tu_1', 600)
    store.begin(change('tu_1'))
    expect(store.move('tu_1', ['running'], { state: 'armed', endedAt: 20 })).toBe(true)
    expect(store.move('tu_1', ['armed'], { state: 'made', goesBackAt: undefined, decidedBy: 'anna' })).toBe(true)
    expect(store.move('tu_1', ['armed'], { state: 'undoing' })).toBe(false)
    expect(store.move('tu_9', ['armed'], { state: 'undoing' })).toBe(false)
    expect(store.get('tu_1')).toEqual({ ...change('tu_1'), state: 'made', endedAt: 20, decidedBy: 'anna' })
    expect(store.due()).toEqual([])
  })

  test('they are listed newest first, by target and page, and the maker of a guest is the newest one', () => {
    const store = open()
    store.begin(change('tu_1', { makes: 200 }))
    store.begin(change('tu_2', { at: 20, target: { kind: 'guest', id: 'vm/101' } }))
    store.begin(change('tu_3', { at: 30, makes: 200 }))
    const ids = (query: Parameters<ChangeStore['list']>[0]) => store.list(query).map(({ id }) => id)
    expect([ids({ limit: 2 }), ids({ limit: 2, before: 20 }), ids({ limit: 9, target: 'vm/101' })]).toEqual([
      ['tu_3', 'tu_2'],
      ['tu_1'],
      ['tu_2'],
    ])
    expect([store.makerOf(200)?.id, store.makerOf(201)]).toEqual(['tu_3', undefined])
  })

  test('what is to be done later is due until it is done', () => {
    const store = open()
    const later = { toolName: 'delete_snapshot', input: { vmid: 104 }, at: 50, sentence: 'The snapshot is deleted.' }
    store.begin(change('tu_1', { later }))
    expect(store.due()).toMatchObject([{ id: 'tu_1', later }])
    store.endLater('tu_1', 'It was not deleted.')
    expect([store.due(), store.get('tu_1')?.problem]).toEqual([[], 'It was not deleted.'])
  })
  test('a card that is approved otherwise arms nothing, and what is closed neither goes back nor is undone', () => {
    const store = open()
    store.arm('tu_1', 600)
    store.arm('tu_1', undefined)
    expect(store.begin(change('tu_1'))).toBeUndefined()
    const undo = { kind: 'call', toolName: 'set_level', input: {}, sentence: 'Back.' } as const
    store.arm('tu_2', 600)
    store.begin(change('tu_2', { undo, makes: 200 }))
    store.move('tu_2', ['running'], { state: 'armed' })
    store.arm('tu_3', 600)
    expect(store.close('It was elsewhere.').map(({ id }) => id)).toEqual(['tu_2'])
    expect(store.get('tu_2')).toMatchObject({ state: 'made', undo: { kind: 'none', because: 'It was elsewhere.' } })
    expect([store.due(), store.makerOf(200), store.begin(change('tu_3'))]).toEqual([[], undefined, undefined])
  })

  test('what some tools changed is closed, and what others changed stays', () => {
    const store = open()
    const undo = { kind: 'call', toolName: 'set_level', input: {}, sentence: 'Back.' } as const
    for (const [id, toolName] of [
      ['tu_1', 'set_level'],
      ['tu_2', 'other'],
    ] as const) {
      store.arm(id, 600)
      store.begin({ ...change(id, { undo }), toolName })
      store.move(id, ['running'], { state: 'armed', goesBackAt: 610 })
    }
    expect(store.close('It is gone.', ['set_level']).map(({ id }) => id)).toEqual(['tu_1'])
    expect(store.get('tu_1')).toMatchObject({ state: 'made', undo: { because: 'It is gone.' } })
    expect(store.get('tu_2')).toMatchObject({ state: 'armed', undo })
    expect(store.due().map(({ id }) => id)).toEqual(['tu_2'])
  })

  test('old changes are forgotten, but for those of which something is due', () => {
    const store = open()
    store.begin(change('tu_1'))
    store.arm('tu_2', 600)
    store.begin(change('tu_2'))
    store.begin(change('tu_3', { at: 30 }))
    store.prune(20)
    expect(store.list({ limit: 9 }).map(({ id }) => id)).toEqual(['tu_3', 'tu_2'])
  })
}

export function askedStoreContract(open: Open<AskedStore>) {
  const request = { token: 'hass 1', door: 'chat', session: '', hash: 'h1' }
  const asked = (runId: string, at: number, rest: Partial<Asked> = {}): Asked => ({
    ...request,
    runId,
    sessionId: 'ses_1',
    at,
    isDelivered: false,
    ...rest,
  })

  test('a request is found by its key, or without one by all that makes it the same', () => {
    const store = open()
    const keyed = asked('run_2', 20, { key: 'k', hash: 'h2' })
    for (const one of [asked('run_1', 10), keyed, asked('run_3', 30)]) store.add(one)
    expect(store.same(request)).toEqual(asked('run_3', 30))
    expect(store.byKey('hass 1', 'k')).toEqual(keyed)
    const others = [{ token: 'hass 2' }, { door: 'responses' }, { session: 'kitchen' }, { hash: 'h2' }]
    expect(others.map((other) => store.same({ ...request, ...other }))).toEqual(others.map(() => undefined))
    expect(store.byKey('hass 2', 'k')).toBeUndefined()
    store.delivered('run_3')
    expect(store.same(request)).toMatchObject({ runId: 'run_3', isDelivered: true })
    store.forget('run_3')
    expect(store.same(request)).toMatchObject({ runId: 'run_1', isDelivered: false })
  })

  test('an old request joins nothing, and of those without a session the session is still known', () => {
    const store = open()
    store.add(asked('run_1', 10, { key: 'k' }))
    store.add(asked('run_2', 20, { session: 'kitchen', hash: 'h2' }))
    store.add(asked('run_3', 30))
    store.forgetOld(30)
    expect([store.byKey('hass 1', 'k'), store.same({ ...request, session: 'kitchen', hash: 'h2' })]).toEqual([
      undefined,
      undefined,
    ])
    expect(store.same(request)?.runId).toBe('run_3')
    const single = (query: Partial<Parameters<AskedStore['single']>[0]>) =>
      store.single({ before: 0, recent: 100, most: 10, limit: 10, ...query }).map(({ runId }) => runId)
    expect(single({ before: 40 })).toEqual(['run_1', 'run_3'])
    expect(single({ before: 40, limit: 1 })).toEqual(['run_1'])
    store.add(asked('run_4', 40, { token: 'other 1' }))
    expect(single({ most: 1 })).toEqual(['run_1'])
    expect(single({ most: 0, recent: 40 })).toEqual(['run_1', 'run_3'])
    store.forget('run_1')
    expect(single({ before: 100 })).toEqual(['run_3', 'run_4'])
  })
}

export function attachmentStoreContract(open: Open<AttachmentStore>) {
  const file = (id: string, text: string) => ({
    attachment: { id, name: `${id}.txt`, mimeType: 'text/plain' as const, bytes: text.length },
    data: Buffer.from(text),
  })
  const [mine, theirs, here] = [{ by: 'anna' }, { by: 'bo' }, { sessionId: 'ses_1' }]

  test('an upload is its sender’s until it is sent, then the session’s, and never both', () => {
    const store = open()
    const { attachment, data } = file('att_1', 'words')
    store.add(mine, { attachment, data }, 10)
    expect([store.find(mine, 'att_1'), store.find(theirs, 'att_1')]).toEqual([attachment, undefined])
    expect([store.bytesOf(mine), store.bytesOf(theirs), store.bytesOf(here)]).toEqual([5, 0, 0])
    store.move('att_1', 'bo', 'ses_1')
    expect(store.read('ses_1', 'att_1')).toBeUndefined()
    store.move('att_1', 'anna', 'ses_1')
    expect(store.read('ses_1', 'att_1')).toEqual({ attachment, data })
    expect([store.find(mine, 'att_1'), store.bytesOf(mine), store.bytesOf(here)]).toEqual([undefined, 0, 5])
    expect([store.read('ses_2', 'att_1'), store.remove('att_1', 'anna')]).toEqual([undefined, false])
  })

  test('old uploads are forgotten and sent files are not, though their bytes are the same', () => {
    const store = open()
    for (const [id, at] of [
      ['att_1', 10],
      ['att_2', 20],
      ['att_3', 10],
    ] as const)
      store.add(mine, file(id, 'same'), at)
    store.move('att_3', 'anna', 'ses_1')
    store.forgetUnsent(20)
    expect(['att_1', 'att_2'].map((id) => store.find(mine, id)?.id)).toEqual([undefined, 'att_2'])
    expect([store.remove('att_2', 'bo'), store.remove('att_2', 'anna'), store.bytesOf(mine)]).toEqual([false, true, 0])
    expect(store.read('ses_1', 'att_3')?.data.toString()).toBe('same')
  })
}
