/** The part of noVNC that the dashboard uses. noVNC ships no types. */
declare module '@novnc/novnc' {
  /** A channel with the interface of a WebSocket. All these members are required. */
  export type RawChannel = {
    readyState: 'open' | 'closed'
    protocol: string
    binaryType: string
    onopen: ((event: unknown) => void) | null
    onmessage: ((event: { data: ArrayBuffer }) => void) | null
    onclose: ((event: { code: number; reason: string }) => void) | null
    onerror: ((event: unknown) => void) | null
    send(data: Uint8Array): void
    close(): void
  }
  type Events = {
    connect: CustomEvent
    disconnect: CustomEvent<{ clean: boolean }>
    securityfailure: CustomEvent<{ status: number; reason?: string }>
    credentialsrequired: CustomEvent
  }
  // biome-ignore lint/style/noDefaultExport: the library's own form
  export default class RFB {
    constructor(place: HTMLElement, channel: RawChannel, options: { credentials?: { password: string } })
    scaleViewport: boolean
    background: string
    focus(): void
    disconnect(): void
    sendCtrlAltDel(): void
    sendKey(keysym: number, code: string, down: boolean): void
    addEventListener<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): void
  }
}
