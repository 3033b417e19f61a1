import type { Address, Outgoing } from '../channel.ts'
import { escaped } from './telegram-html.ts'

type Shown = Pick<Outgoing, 'title' | 'lines' | 'buttons' | 'link' | 'isOver'>

/** A button to a page is shown where Telegram takes the address; otherwise the address is a line of the text. */
const isButtonAddress = (link: string) => /^https:\/\/[^/:]+\.[a-z]{2,}(?:[/:]|$)/i.test(link)

/** The parameters that each message has. */
export const messageTo = ({ chat }: Pick<Address, 'chat'>) => ({
  chat_id: Number(chat),
  parse_mode: 'HTML',
  link_preview_options: { is_disabled: true },
})

/** The text of a notice or card as Telegram's HTML, made of escaped texts alone. */
export function noticeOf({ title, lines, link, isOver }: Shown): string {
  const head = isOver ? `<s>${escaped(title)}</s>` : `<b>${escaped(title)}</b>`
  const address = link !== undefined && !isOver && !isButtonAddress(link) ? [escaped(link)] : []
  return [head, ...lines.map(escaped), ...address].join('\n')
}

/** The buttons below a notice or card, a row each. */
export function keyboardOf({ buttons, link, isOver }: Shown) {
  if (isOver) return []
  const deeds = buttons.map(({ label, token }) => [{ text: label, callback_data: token }])
  const canLook = buttons.some(({ does }) => does === 'look')
  return link !== undefined && !canLook && isButtonAddress(link) ? [...deeds, [{ text: 'Open', url: link }]] : deeds
}
