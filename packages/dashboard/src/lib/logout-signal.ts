const CHANNEL = 'berth.session'

/** Tells the other tabs of this browser that the session has ended. */
export function announceLogout(): void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage('ended')
  channel.close()
}

/** Calls back when another tab has logged out. */
export function onLogout(listener: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.onmessage = listener
  return () => channel.close()
}
