import { Bot, GrammyError } from 'grammy'
import { expect, test } from 'vitest'
import { startTelegram } from './fake-services/telegram.ts'

const mira = 88120411

test('a client that was not written for it talks with the scripted Telegram: updates, drafts, edits, taps, files', async () => {
  const telegram = await startTelegram()
  const bot = new Bot(telegram.token, { client: { apiRoot: telegram.url } })
  expect(await bot.api.getMe()).toMatchObject({ username: 'jarvis_homelab_bot', is_bot: true })
  telegram.start(mira, 'A'.repeat(22))
  const kinds = { timeout: 0, allowed_updates: ['message', 'callback_query'] as const }
  const [first] = await bot.api.getUpdates(kinds)
  expect(first?.message?.text).toBe(`/start ${'A'.repeat(22)}`)
  // It comes again until a later one is asked for.
  expect((await bot.api.getUpdates(kinds))[0]?.update_id).toBe(first?.update_id)
  expect(await bot.api.getUpdates({ ...kinds, offset: (first?.update_id ?? 0) + 1 })).toEqual([])
  const still = { link_preview_options: { is_disabled: true }, parse_mode: 'HTML' } as const
  await bot.api.sendMessageDraft(mira, 7, '<b>Two</b>', { parse_mode: 'HTML' })
  expect(telegram.drafts).toMatchObject([{ chat: mira, id: 7, text: '<b>Two</b>' }])
  const sent = await bot.api.sendMessage(mira, 'Well.', still)
  const edit = () => bot.api.editMessageText(mira, sent.message_id, 'Better.', still)
  await edit()
  const refused = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: unknown) => (error instanceof GrammyError ? error.description : String(error)),
    )
  expect(await refused(edit())).toContain('message is not modified')
  expect(await refused(bot.api.sendMessage(mira, 'x'.repeat(4_097), still))).toContain('message is too long')
  expect(await refused(bot.api.sendMessage(mira, '<b>open', still))).toContain("can't parse entities")
  const tooLong = { inline_keyboard: [[{ text: 'Stop', callback_data: 'x'.repeat(65) }]] }
  expect(await refused(bot.api.sendMessage(mira, 'x', { ...still, reply_markup: tooLong }))).toContain(
    'BUTTON_DATA_INVALID',
  )
  expect(await refused(bot.api.sendMessage(666, 'x', still))).toContain('chat not found')
  const query = telegram.press(mira, 'c1.x', sent.message_id)
  await bot.api.answerCallbackQuery(query, { text: 'Taken.' })
  expect(await refused(bot.api.answerCallbackQuery(query))).toContain('query is too old')
  const { file_path } = await bot.api.getFile(telegram.file(Buffer.from('OggS'), 'voice/file_1.oga'))
  const file = await fetch(`${telegram.url}/file/bot${telegram.token}/${file_path}`)
  expect(await file.text()).toBe('OggS')
  expect((await fetch(`${telegram.url}/file/bot1:x/${file_path}`)).status).toBe(404)
})
