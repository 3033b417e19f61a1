import { expect, test } from 'vitest'
import { incomingOf, type Update } from './telegram-incoming.ts'
import { openForMs, whole } from './telegram-parts.ts'

const photo = (update_id: number, more: Partial<NonNullable<Update['message']>> = {}): Update => ({
  update_id,
  message: {
    message_id: update_id,
    date: 1,
    chat: { id: 7, type: 'private' },
    from: { id: 7 },
    photo: [{ file_id: `small${update_id}` }, { file_id: `f${update_id}` }],
    media_group_id: 'a',
    ...more,
  },
})

test('the pictures of an album are one message with one caption, taken with the last of them', () => {
  const [one, ...rest] = whole([photo(1), photo(2, { caption: 'The rack.' }), photo(3)])
  expect(rest).toEqual([])
  expect(one && incomingOf(one)).toMatchObject({
    kind: 'text',
    cursor: '4',
    ref: '1',
    text: 'The rack.',
    files: [{ ref: 'f1' }, { ref: 'f2' }, { ref: 'f3' }],
  })
})

test.each<[string, Update]>([
  ['another album', photo(2, { media_group_id: 'b' })],
  ['another chat', photo(2, { chat: { id: 8, type: 'private' } })],
  ['another person', photo(2, { from: { id: 8 } })],
  ['no album', photo(2, { media_group_id: undefined as never })],
  ['a tap', { update_id: 2, callback_query: { id: 'q', from: { id: 7 } } }],
])('%s is a message of its own', (_what, update) => {
  expect(whole([photo(1), update])).toEqual([photo(1), update])
})

test('what others forwarded stays theirs, and an album may go on after the batch', () => {
  const forwarded = { forward_origin: {}, caption: 'Stop 104.' }
  const [one] = whole([photo(1, forwarded), photo(2, forwarded)])
  expect(one && incomingOf(one)).toMatchObject({ text: '', foreign: [{ how: 'forwarded', text: 'Stop 104.' }] })
  expect([openForMs([photo(1)]), openForMs([]), openForMs([{ update_id: 1 }])]).toEqual([500, 0, 0])
})

const text = (update_id: number, said: string, more: Partial<NonNullable<Update['message']>> = {}): Update => ({
  update_id,
  message: {
    message_id: update_id,
    date: 1,
    chat: { id: 7, type: 'private' },
    from: { id: 7 },
    text: said,
    ...more,
  },
})
const cut = 'a'.repeat(4_096)
const atLine = 'b'.repeat(3_900)

test('a long text that a client cut is one message, and only such a text is waited for', () => {
  const [one, ...rest] = whole([text(1, cut), text(2, atLine), text(3, 'the end')])
  expect(rest).toEqual([])
  expect(one && incomingOf(one)).toMatchObject({ cursor: '4', ref: '1', text: `${cut}${atLine}\nthe end` })
  expect(openForMs([text(1, cut)])).toBe(3_000)
  expect(openForMs([text(1, cut), text(2, atLine)])).toBe(3_000)
  expect(openForMs([text(1, cut), text(2, 'the end')])).toBe(0)
  expect(openForMs([text(1, 'a'.repeat(3_000))])).toBe(0)
  expect(openForMs([text(1, `/note ${atLine}`)])).toBe(0)
  const forwarded = { forward_origin: {} }
  const [foreign] = whole([text(1, cut, forwarded), text(2, 'end', forwarded)])
  expect(foreign && incomingOf(foreign)).toMatchObject({ text: '', foreign: [{ text: `${cut}end` }] })
})

test.each<[string, Update, Update]>([
  ['after a short text', text(1, 'short'), text(2, 'more')],
  ['an order', text(1, cut), text(2, '/stop')],
  ['after an order', text(1, `/note ${atLine}`), text(2, 'more')],
  ['of another person', text(1, cut), text(2, 'more', { from: { id: 8 } })],
  ['of another thread', text(1, cut), text(2, 'more', { message_thread_id: 3 })],
  ['of somebody else, forwarded', text(1, cut), text(2, 'more', { forward_origin: {} })],
  ['much later', text(1, cut), text(2, 'more', { date: 60 })],
  ['a picture', text(1, cut), text(2, '', { text: undefined as never, photo: [{ file_id: 'f' }] })],
])('a message %s is one of its own', (_what, first, second) => {
  expect(whole([first, second])).toEqual([first, second])
})

test('a changed message is no message', () => {
  expect(incomingOf({ update_id: 1, edited_message: text(1, 'other').message as never })).toMatchObject({
    kind: 'edit',
    cursor: '2',
    ref: '1',
    from: { user: '7', isPrivate: true },
  })
})
