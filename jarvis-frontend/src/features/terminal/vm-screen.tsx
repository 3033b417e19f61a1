import RFB, { type RawChannel } from '@novnc/novnc'
import { useEffect, useRef } from 'react'
import { bearer, withPassword } from '../../api/http.ts'
import { openShell, type Shell, type TerminalEnd } from '../../realtime/terminal.ts'

const shiftKeys = [
  [0xffe1, 'ShiftLeft'],
  [0xffe2, 'ShiftRight'],
] as const

/** The screen of a VM, open while the component is mounted. Shift+Tab leaves it by keyboard; all other keys go to the VM. */
export function VmScreen(props: { vmid: number; name: string; onOpen(): void; onEnd(end: TerminalEnd): void }) {
  const { vmid } = props
  const box = useRef<HTMLDivElement>(null)
  const viewer = useRef<RFB>(undefined)
  const tell = useRef(props)
  tell.current = props
  useEffect(() => {
    const { current: target } = box
    if (target === null) return
    let isGone = false
    let shell: Shell | undefined
    let channel: RawChannel | undefined
    const end = (how: TerminalEnd) => {
      if (isGone) return
      isGone = true
      viewer.current = undefined
      tell.current.onEnd(how)
    }
    async function open(place: HTMLElement) {
      const opened = await openShell(
        // `cols` and `rows` are required, but have no effect: the VM's screen has its own size.
        { vmid, cols: 80, rows: 24, token: bearer() ?? '', withPassword },
        {
          output() {},
          screen: (data) => channel?.onmessage?.({ data }),
          end(how) {
            end(how)
            if (channel !== undefined) channel.readyState = 'closed'
            channel?.onclose?.({ code: 1000, reason: '' })
          },
        },
      )
      if (isGone) return opened.close()
      shell = opened
      channel = channelOf(opened)
      const password = opened.screen?.password
      const rfb = new RFB(place, channel, password === undefined ? {} : { credentials: { password } })
      viewer.current = rfb
      rfb.scaleViewport = true
      rfb.background = 'none'
      const fail = (reason: string) => {
        end({ reason })
        opened.close()
      }
      rfb.addEventListener('connect', () => {
        const canvas = place.querySelector('canvas')
        canvas?.setAttribute('tabindex', '0')
        canvas?.setAttribute('role', 'application')
        canvas?.setAttribute('aria-label', `Screen of ${tell.current.name}`)
        tell.current.onOpen()
        rfb.focus()
      })
      rfb.addEventListener('securityfailure', ({ detail }) =>
        fail(`the VM’s screen refused: ${detail.reason ?? 'no reason given'}`),
      )
      rfb.addEventListener('credentialsrequired', () =>
        fail('the VM’s screen wants a password that Proxmox did not give'),
      )
      rfb.addEventListener('disconnect', ({ detail }) =>
        fail(detail.clean ? 'closed' : 'the VM’s screen sent what cannot be read'),
      )
    }
    open(target).catch((error: unknown) => end({ reason: error instanceof Error ? error.message : String(error) }))
    return () => {
      isGone = true
      viewer.current?.disconnect()
      viewer.current = undefined
      shell?.close()
    }
  }, [vmid])
  return (
    <>
      <div className="form-row">
        <button type="button" className="button" onClick={() => viewer.current?.sendCtrlAltDel()}>
          Send Ctrl Alt Del
        </button>
      </div>
      <div
        ref={box}
        className="terminal-screen vm-screen"
        onKeyDownCapture={(event) => {
          if (event.key !== 'Tab' || !event.shiftKey) return
          // The browser moves the focus. Release Shift in the VM, or it would stay pressed there.
          event.stopPropagation()
          for (const [symbol, code] of shiftKeys) viewer.current?.sendKey(symbol, code, false)
        }}
      />
    </>
  )
}

/** Gives a shell the interface of a WebSocket, which the viewer needs. */
function channelOf(shell: Shell): RawChannel {
  return {
    readyState: 'open',
    protocol: '',
    binaryType: 'arraybuffer',
    onopen: null,
    onmessage: null,
    onclose: null,
    onerror: null,
    // The viewer reuses its buffer, so send a copy.
    send: (data) => shell.type(data.slice()),
    close: () => shell.close(),
  }
}
