// A page that was opened as a file may start no worker, and the search runs in one. Here its script
// runs in a hidden frame of the page instead, with the same messages to and fro.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(url) {
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => setTimeout(() => this.onmessage && this.onmessage({ data }));
      const script = inside.document.createElement("script");
      script.onload = () => {
        this.ready = true;
        this.waiting.splice(0).forEach((data) => this.postMessage(data));
      };
      script.onerror = (event) => this.onerror && this.onerror(event);
      script.src = new URL(url, document.baseURI).href;
      inside.document.body.append(script);
    }
    postMessage(data) {
      if (!this.ready) this.waiting.push(data);
      else setTimeout(() => this.frame.contentWindow && this.frame.contentWindow.onmessage({ data }));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
