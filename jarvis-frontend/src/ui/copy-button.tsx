import { useState } from 'react'
import { Icon } from './icon.tsx'

/** Copies `text` and confirms it on the button. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    const done = await writeClipboard(text)
    setCopied(done)
    setTimeout(() => setCopied(false), 1_500)
  }
  return (
    <button type="button" className="icon-button" aria-label={copied ? 'Copied' : label} onClick={() => void copy()}>
      <Icon name={copied ? 'check' : 'copy'} />
    </button>
  )
}

/** Writes to the clipboard. Falls back to copying a selection, because `navigator.clipboard` is missing on plain-http LAN origins. */
async function writeClipboard(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
  }
  const area = document.createElement('textarea')
  area.value = text
  area.style.position = 'fixed'
  area.style.opacity = '0'
  document.body.append(area)
  const focused = document.activeElement
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return done
}
