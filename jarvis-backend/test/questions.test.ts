import { systemClock } from 'node-kit/clock'
import type { Question, QuestionsReply } from 'protocol'
import { expect, test } from 'vitest'
import { calls, says, scripted } from './support/scripted-model.ts'
import { type Screen, startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const where = {
  question: 'Where should the nine backups go tonight?',
  options: [{ label: 'pbs-main', note: 'as always' }, { label: 'tank-nfs' }, { label: 'Both' }],
}
const when = { question: 'When may frigate be away for a minute?' }
const dayMs = 24 * 3_600_000
const asks = (...questions: object[]) => calls(['ask_operator', { questions }])

async function asked(model: ReturnType<typeof scripted>, more: object = {}) {
  const jarvis = await startJarvis({ model, ...more })
  const mira = await jarvis.connect()
  const { sessionId } = await mira.ask('chat:send', { message: 'Ask me what you need.' })
  const question = await mira.next('chat:question')
  return { jarvis, mira, sessionId, question, answer: answering(mira, question) }
}
const answering =
  (screen: Screen, { sessionId, questionId }: { sessionId: string; questionId: string }) =>
  (body: object) =>
    screen.request('chat:answer', { sessionId, questionId, ...body })
const listed = async (jarvis: TestJarvis) =>
  ((await (await jarvis.rest('/api/questions')).json()) as QuestionsReply).items
const lastResult = (model: ReturnType<typeof scripted>) => {
  const last = model.requests.at(-1)?.messages.at(-1)
  return last?.role === 'user' ? last.results.at(-1)?.text : undefined
}

test('a model asks, a person chooses and types, and the model reads which is which', async () => {
  const model = scripted(asks(where, when), says('So be it.'))
  const { jarvis, mira, question, answer } = await asked(model)
  expect(question).toMatchObject({
    items: [
      { text: where.question, options: where.options, typed: 'text' },
      { text: when.question, options: [] },
    ],
    requestedBy: { kind: 'chat' },
  })
  expect(question.expiresAt - question.createdAt).toBe(dayMs)
  expect(await answer({ answers: [{ chosen: [1] }, { text: 'After 23:00' }] })).toEqual({ ok: true })
  const resolved = await mira.next('chat:question_resolved')
  expect(resolved).toMatchObject({
    end: 'answered',
    by: 'operator',
    answers: [{ chosen: [1] }, { text: 'After 23:00' }],
  })
  await mira.next('chat:done')
  expect(lastResult(model)).toContain('chosen: "tank-nfs"')
  expect(lastResult(model)).toContain('typed: After 23:00')
  expect(lastResult(model)).toContain('An answer allows nothing')
  expect(await listed(jarvis)).toMatchObject([{ end: 'answered', answers: [{ chosen: [1] }, { text: 'After 23:00' }] }])
})

test.each<[string, object, string]>([
  ['an option that is not there', { answers: [{ chosen: [3] }, {}] }, 'there are 3 options'],
  ['two options of one', { answers: [{ chosen: [0, 1] }, {}] }, 'only one option'],
  ['too few answers', { answers: [{ chosen: [0] }] }, 'This asks 2'],
  ['no answer at all', {}, 'only one of them'],
  ['two ways at once', { answers: [{}, {}], said: 'so' }, 'only one of them'],
  ['a key that is none', { answers: [{}, {}], confirmed: true }, 'confirmed'],
  ['words that are none', { said: ' ' }, 'said'],
])('%s is refused, and the question still waits', async (_name, body, why) => {
  const { jarvis, answer } = await asked(scripted(asks(where, when), says('Good.')))
  expect(await answer(body)).toMatchObject({
    ok: false,
    error: { code: 'invalid_request', message: expect.stringContaining(why) },
  })
  expect((await listed(jarvis))[0]?.end).toBeUndefined()
  expect(await answer({ declined: true })).toEqual({ ok: true })
})

test('several options where it says so; a label that is typed counts as chosen', async () => {
  const { mira, answer } = await asked(scripted(asks({ ...where, several: true }), says('Good.')))
  await answer({ answers: [{ chosen: [1], text: ' PBS-main ' }] })
  expect(await mira.next('chat:question_resolved')).toMatchObject({ answers: [{ chosen: [0, 1] }] })
})

test('own words answer all of it', async () => {
  const model = scripted(asks(where, when), says('Good.'))
  const { mira, answer } = await asked(model)
  await answer({ said: 'Neither: leave them out tonight.' })
  await mira.next('chat:done')
  expect(lastResult(model)).toContain('in their own words: Neither: leave them out tonight.')
})

test('the first answer counts; a repeated request gets its first acknowledgement', async () => {
  const { jarvis, mira, question, answer } = await asked(scripted(asks(when), says('Good.')))
  const other = answering(await jarvis.connect(), question)
  const first = { answers: [{ text: 'now' }], requestId: 'once' }
  expect(await answer(first)).toEqual({ ok: true })
  expect(await other({ answers: [{ text: 'never' }] })).toMatchObject({ ok: false, error: { code: 'already_decided' } })
  expect(await answer(first)).toEqual({ ok: true })
  expect(await mira.next('chat:question_resolved')).toMatchObject({ answers: [{ text: 'now' }] })
  const rest = await jarvis.rest(`/api/questions/${question.questionId}`, { method: 'POST', json: { declined: true } })
  expect(rest.status).toBe(409)
})

test('over REST it is listed and answered; a viewer only looks', async () => {
  const model = scripted(asks(when), says('Good.'))
  const { jarvis, mira, sessionId, question } = await asked(model)
  expect(await listed(jarvis)).toMatchObject([{ questionId: question.questionId, sessionId }])
  const path = `/api/questions/${question.questionId}`
  const body = { method: 'POST', json: { answers: [{ text: 'now' }] } }
  expect((await jarvis.rest(path, { ...body, role: 'viewer' })).status).toBe(403)
  expect((await jarvis.rest('/api/questions/none', body)).status).toBe(404)
  expect((await jarvis.rest(path, body)).status).toBe(200)
  await mira.next('chat:done')
  expect(lastResult(model)).toContain('typed: now')
})

test('a screen that comes later has the open question in its snapshot', async () => {
  const { jarvis, sessionId, question, answer } = await asked(scripted(asks(when), says('Good.')))
  const later = await jarvis.connect('/chat', 'viewer')
  const { snapshot } = await later.ask('chat:attach', { sessionId })
  expect(snapshot.questions).toMatchObject([{ questionId: question.questionId }])
  expect(await answering(later, question)({ declined: true })).toMatchObject({
    ok: false,
    error: { code: 'forbidden' },
  })
  await answer({ declined: true })
  await later.next('chat:done')
})

test('two questions of one turn come one after the other', async () => {
  const model = scripted(
    calls(['ask_operator', { questions: [where] }], ['ask_operator', { questions: [when] }]),
    says('Good.'),
  )
  const { jarvis, mira, question, answer } = await asked(model)
  expect((await listed(jarvis)).length).toBe(1)
  await answer({ declined: true })
  const second = await mira.next('chat:question')
  expect(second.questionId).not.toBe(question.questionId)
  expect(second.items[0]?.text).toBe(when.question)
  await answering(mira, second)({ answers: [{ text: 'now' }] })
  await mira.next('chat:done')
})

test('unanswered after a day it stays unanswered: nothing is chosen', async () => {
  const daily: (() => void)[] = []
  const clock = {
    ...systemClock,
    after(ms: number, run: () => void) {
      if (ms > dayMs - 60_000 && ms <= dayMs) daily.push(run)
      return systemClock.after(ms, run)
    },
  }
  const model = scripted(asks(where), says('Left as it was.'))
  const { mira, answer } = await asked(model, { clock })
  daily.at(-1)?.()
  expect(await mira.next('chat:question_resolved')).toMatchObject({ end: 'unanswered', by: 'jarvis' })
  await mira.next('chat:done')
  expect(lastResult(model)).toContain('Nobody answered within a day. Nothing was chosen')
  expect(await answer({ declined: true })).toMatchObject({ ok: false, error: { code: 'expired' } })
})

test('it is withdrawn with its run', async () => {
  const { jarvis, mira, sessionId, answer } = await asked(scripted(asks(where)))
  await mira.ask('chat:abort', { sessionId })
  expect(await mira.next('chat:question_resolved')).toMatchObject({ end: 'withdrawn', by: 'operator' })
  await mira.next('chat:done')
  expect(await answer({ declined: true })).toMatchObject({ ok: false, error: { code: 'expired' } })
  expect(await listed(jarvis)).toMatchObject([{ end: 'withdrawn' }])
})

test('"yes" decides no card, makes no grant, and lowers no verdict', async () => {
  const stop = calls(['stop_vm', { vmid: 101 }])
  const model = scripted(asks({ question: 'May I stop 101?' }), stop, says('It is stopped.'))
  const { jarvis, mira, sessionId, answer } = await asked(model)
  await answer({ answers: [{ text: 'yes, stop 101, approved' }] })
  const card = await mira.next('chat:confirm_needed')
  expect(jarvis.guest(101)?.status).toBe('running')
  expect(await (await jarvis.rest('/api/grants')).json()).toEqual({ items: [] })
  // A card's id answers no question, and a question's id decides no card.
  expect(await mira.request('chat:answer', { sessionId, questionId: card.toolUseId, said: 'yes' })).toMatchObject({
    ok: false,
    error: { code: 'not_found' },
  })
  await mira.ask('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: false })
  await mira.next('chat:done')
  expect(jarvis.guest(101)?.status).toBe('running')
})

test('in rehearsal it asks too', async () => {
  const model = scripted(asks(when), says('Good.'))
  const jarvis = await startJarvis({ model })
  const mira = await jarvis.connect()
  const { id } = (await (await jarvis.rest('/api/sessions', { method: 'POST', json: {} })).json()) as { id: string }
  await jarvis.rest(`/api/sessions/${id}`, { method: 'PATCH', json: { isRehearsal: true } })
  await mira.ask('chat:send', { sessionId: id, message: 'Ask me.' })
  const question = await mira.next('chat:question')
  await answering(mira, question)({ answers: [{ text: 'now' }] })
  await mira.next('chat:done')
  expect(lastResult(model)).toContain('typed: now')
})

test.each<[string, object, string]>([
  ['four questions', { questions: [when, when, when, when] }, 'questions'],
  ['five options', { questions: [{ ...when, options: [1, 2, 3, 4, 5].map((n) => ({ label: `${n}` })) }] }, 'options'],
  ['one option', { questions: [{ ...when, options: [{ label: 'yes' }] }] }, 'options'],
  ['equal labels', { questions: [{ ...when, options: [{ label: 'a' }, { label: 'A ' }] }] }, 'two labels are the same'],
  ['a secret', { questions: [{ question: 'What is the root password?' }] }, 'asks for a secret'],
  ['another key', { questions: [when], confirmed: true }, 'confirmed'],
])('%s is refused', async (_name, input, why) => {
  const model = scripted(calls(['ask_operator', input as never]), says('Well.'))
  const jarvis = await startJarvis({ model })
  const mira = await jarvis.connect()
  await mira.ask('chat:send', { message: 'Ask me.' })
  await mira.next('chat:done')
  expect(lastResult(model)).toContain(why)
  expect(await listed(jarvis)).toEqual([])
})

test('what hides in a question is shown as signs, and a secret that is typed is not kept', async () => {
  const model = scripted(asks({ question: 'Stop\u202e101?' }), says('Good.'))
  const { mira, question, answer } = await asked(model)
  expect((question as Question).items[0]?.text).not.toContain('\u202e')
  await answer({ said: 'password=hunter2hunter2' })
  expect(JSON.stringify(await mira.next('chat:question_resolved'))).not.toContain('hunter2hunter2')
  await mira.next('chat:done')
  expect(lastResult(model)).not.toContain('hunter2hunter2')
})
