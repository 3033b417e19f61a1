import type { Answered, Heard, Incoming } from '../channel.ts'
import type { TelegramApi } from './telegram-api.ts'
import { escaped } from './telegram-html.ts'
import { incomingOf, type Update } from './telegram-incoming.ts'
import { keyboardOf, messageTo, noticeOf } from './telegram-notice.ts'

/** Longest answer to a tap, characters. */
const mostAnswer = 200

const placeOf = (incoming: Incoming) => {
  const { chat = '', thread } = ('from' in incoming && incoming.from) || {}
  return { ...messageTo({ chat }), ...(thread !== undefined && { message_thread_id: Number(thread) }) }
}

/**
 * Handles one update, and sends the answer to its sender. An answer that Telegram refuses is lost, and nothing else depends on it.
 * @param to `aheadMs`: the time by which JARVIS's clock is ahead of Telegram's clock, which dates the messages
 */
export async function takeUpdate(
  api: Pick<TelegramApi, 'call'>,
  update: Update,
  { aheadMs, heard, signal }: { aheadMs: number; heard: Heard; signal: AbortSignal },
): Promise<void> {
  const received = incomingOf(update)
  const incoming = received.kind === 'text' ? { ...received, at: received.at + aheadMs } : received
  const { answer, link } = await heard(incoming)
  if (answer === undefined || signal.aborted) return
  const tell = (method: string, params: object) => api.call(method, params, { signal }).catch(() => undefined)
  const say = (params: object) => tell('sendMessage', { ...placeOf(incoming), protect_content: true, ...params })
  const tap = update.callback_query
  if (tap === undefined) {
    await say({ text: escaped(answer) })
    return
  }
  await tell('answerCallbackQuery', { callback_query_id: tap.id, text: answer.slice(0, mostAnswer) })
  // The answer to a tap cannot hold a link, so the link is sent as a message below the card.
  if (link !== undefined) await say(linkBelow(tap.message?.message_id, { answer, link }))
}

function linkBelow(card: number | undefined, { answer, link }: Required<Answered>) {
  const shown = { title: answer, lines: [], buttons: [], link, isOver: false }
  const keyboard = keyboardOf(shown)
  return {
    text: noticeOf(shown),
    disable_notification: true,
    ...(card !== undefined && { reply_parameters: { message_id: card } }),
    ...(keyboard.length > 0 && { reply_markup: { inline_keyboard: keyboard } }),
  }
}
