/** What Node alone needs for a list and a watch. `node floor.mjs <url>` */
import http from 'node:http'

const url = process.argv[2]
http.get(`${url}/api/v1/pods`, (response) => {
  response.resume()
  response.on('end', () => http.get(`${url}/api/v1/pods?watch=true`, (watch) => watch.resume()))
})
setInterval(() => {}, 1000)
