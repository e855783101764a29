function click(href: string, name: string): void {
  const link = document.createElement('a')
  link.href = href
  link.download = name
  link.click()
}

/** Hands a text to the browser as a download. */
export function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  click(url, name)
  URL.revokeObjectURL(url)
}

/** Lets the browser download an answer of the API: it goes to the file as it comes, and is never in memory as a whole. */
export function saveFrom(path: string, name: string): void {
  click(path, name)
}
