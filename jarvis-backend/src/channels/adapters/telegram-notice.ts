import type { Address, Outgoing } from '../channel.ts'
import { escaped } from './telegram-html.ts'

type Shown = Pick<Outgoing, 'title' | 'lines' | 'buttons' | 'link' | 'isOver'>

/** Returns true if Telegram accepts the URL for a button. Otherwise the URL is shown as a line of the text. */
const isButtonAddress = (link: string) => /^https:\/\/[^/:]+\.[a-z]{2,}(?:[/:]|$)/i.test(link)

/** The parameters that all messages share. */
export const messageTo = ({ chat }: Pick<Address, 'chat'>) => ({
  chat_id: Number(chat),
  parse_mode: 'HTML',
  link_preview_options: { is_disabled: true },
})

/** The text of a notice or card as Telegram's HTML. All its texts are escaped. */
export function noticeOf({ title, lines, link, isOver }: Shown): string {
  const head = isOver ? `<s>${escaped(title)}</s>` : `<b>${escaped(title)}</b>`
  const address = link !== undefined && !isOver && !isButtonAddress(link) ? [escaped(link)] : []
  return [head, ...lines.map(escaped), ...address].join('\n')
}

/** The buttons below a notice or card, one in each row. */
export function keyboardOf({ buttons, link, isOver }: Shown) {
  if (isOver) return []
  const deeds = buttons.map(({ label, token }) => [{ text: label, callback_data: token }])
  const canLook = buttons.some(({ does }) => does === 'look')
  return link !== undefined && !canLook && isButtonAddress(link) ? [...deeds, [{ text: 'Open', url: link }]] : deeds
}
