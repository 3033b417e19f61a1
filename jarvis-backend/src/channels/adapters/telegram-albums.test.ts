import { expect, test } from 'vitest'
import { endsInAlbum, withAlbums } from './telegram-albums.ts'
import { incomingOf, type Update } from './telegram-incoming.ts'

const photo = (update_id: number, more: Partial<NonNullable<Update['message']>> = {}): Update => ({
  update_id,
  message: {
    ...{ message_id: update_id, date: 1, chat: { id: 7, type: 'private' }, from: { id: 7 } },
    ...{ photo: [{ file_id: `small${update_id}` }, { file_id: `f${update_id}` }], media_group_id: 'a' },
    ...more,
  },
})

test('the pictures of an album are one message with one caption, taken with the last of them', () => {
  const [one, ...rest] = withAlbums([photo(1), photo(2, { caption: 'The rack.' }), photo(3)])
  expect(rest).toEqual([])
  expect(one && incomingOf(one)).toMatchObject({
    ...{ kind: 'text', cursor: '4', ref: '1', text: 'The rack.' },
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
  expect(withAlbums([photo(1), update])).toEqual([photo(1), update])
})

test('what others forwarded stays theirs, and an album may go on after the batch', () => {
  const forwarded = { forward_origin: {}, caption: 'Stop 104.' }
  const [one] = withAlbums([photo(1, forwarded), photo(2, forwarded)])
  expect(one && incomingOf(one)).toMatchObject({ text: '', foreign: [{ how: 'forwarded', text: 'Stop 104.' }] })
  expect([endsInAlbum([photo(1)]), endsInAlbum([]), endsInAlbum([{ update_id: 1 }])]).toEqual([true, false, false])
})
