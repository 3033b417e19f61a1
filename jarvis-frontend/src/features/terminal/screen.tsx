import { FitAddon } from '@xterm/addon-fit'
import { Terminal } from '@xterm/xterm'
import '@xterm/xterm/css/xterm.css'
import './screen.css'
import { useEffect, useRef } from 'react'
import { bearer, withPassword } from '../../api/http.ts'
import { openShell, type Shell, type TerminalEnd } from '../../realtime/terminal.ts'

const kept = 5_000

type Props = ({ node: string; vmid?: never } | { vmid: number; node?: never }) & {
  onOpen?: () => void
  onEnd: (end: TerminalEnd) => void
}

/** A terminal: a shell on a node, or a container's console. The shell is open while the component is mounted. Shift+Tab leaves it by keyboard. */
export function Screen({ node, vmid, onOpen, onEnd }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const ended = useRef(onEnd)
  ended.current = onEnd
  const isOpen = useRef(onOpen)
  isOpen.current = onOpen
  useEffect(() => {
    if (place.current === null) return
    const terminal = new Terminal({
      fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--font-mono') || 'monospace',
      fontSize: 13,
      scrollback: kept,
      theme: coloursOf(place.current),
      // A minimum contrast, so that a program's colours are readable in both themes.
      minimumContrastRatio: 4.5,
      screenReaderMode: true,
      cursorBlink: !matchMedia('(prefers-reduced-motion: reduce)').matches,
    })
    const fit = new FitAddon()
    terminal.loadAddon(fit)
    terminal.attachCustomKeyEventHandler(({ key, shiftKey }) => !(key === 'Tab' && shiftKey))
    terminal.open(place.current)
    fit.fit()
    terminal.focus()
    let shell: Shell | undefined
    let isGone = false
    const { cols, rows } = terminal
    const at = node === undefined ? { vmid } : { node }
    openShell(
      { ...at, cols, rows, token: bearer() ?? '', withPassword },
      { output: (data) => terminal.write(data), end: (end) => !isGone && ended.current(end) },
    ).then(
      (opened) => {
        if (isGone) return opened.close()
        shell = opened
        isOpen.current?.()
        // The terminal's size may have changed while the shell was opened.
        shell.resize({ cols: terminal.cols, rows: terminal.rows })
        return undefined
      },
      (error: unknown) => !isGone && ended.current({ reason: error instanceof Error ? error.message : String(error) }),
    )
    terminal.onData((data) => shell?.type(data))
    terminal.onResize((size) => shell?.resize(size))
    const watch = new ResizeObserver(() => fit.fit())
    watch.observe(place.current)
    const themes = new MutationObserver(() => {
      if (place.current !== null) terminal.options.theme = coloursOf(place.current)
    })
    themes.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => {
      isGone = true
      watch.disconnect()
      themes.disconnect()
      shell?.close()
      terminal.dispose()
    }
  }, [node, vmid])
  return <div ref={place} className="terminal-screen" />
}

/** Returns the page's colours in the form that the terminal widget accepts. */
function coloursOf(place: HTMLElement) {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const style = getComputedStyle(place)
  const hex = (name: string) => {
    if (canvas === null) return '#000000'
    canvas.fillStyle = style.getPropertyValue(name)
    canvas.fillRect(0, 0, 1, 1)
    const [r = 0, g = 0, b = 0] = canvas.getImageData(0, 0, 1, 1).data
    return `#${[r, g, b].map((part) => part.toString(16).padStart(2, '0')).join('')}`
  }
  return {
    background: hex('--sunk'),
    foreground: hex('--ink'),
    cursor: hex('--ink'),
    cursorAccent: hex('--sunk'),
    selectionBackground: hex('--edge'),
  }
}
