// What is sent to the search's worker. A query (type 2) with an option in it, such as "--windows", asks for that
// option; to the theme's search a dash before a word means pages without it.
const asked = (sent) => (sent.type === 2 ? { ...sent, data: sent.data.replace(/(^|\s)-+(?=\w)/g, "$1") } : sent);

// The search's worker where the site is opened from a disk: browsers start no worker from a file, but load a
// frame. The theme asks by the name IFrameWorker whether it is one. Through a server the browser's own worker does.
if (location.protocol === "file:") {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      addEventListener("message", (event) => {
        if (event.source === this.inside) {
          this.dispatchEvent(new MessageEvent("message", { data: event.data }));
        }
      });
      this.ready = new Promise((resolve) => {
        frame.addEventListener("load", resolve);
      });
      const page = this.inside.document;
      page.open();
      page.write(`<script>
        var postMessage = (data) => parent.postMessage(data, "*");
        var importScripts = (...urls) => urls.reduce((before, url) => before.then(() => new Promise((done) => {
          const script = document.createElement("script");
          script.src = url;
          script.onload = done;
          document.body.append(script);
        })), Promise.resolve());
      <\/script><body><script src="${url}"><\/script>`);
      page.close();
    }

    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data: asked(data) })));
    }

    terminate() {}
  };
} else {
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (data) {
    post.call(this, asked(data));
  };
}
