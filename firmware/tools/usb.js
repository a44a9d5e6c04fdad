// The cable in a Pico's USB port, with a host that opens its serial line.

import { USBCDC } from 'rp2040js';

/** The control word of an endpoint's buffer for what comes from the host (RP2040 datasheet, 4.1.2.7.4). */
const control = (endpoint) => 0x84 + 8 * endpoint;
const AVAILABLE = 1 << 10;

export class Cable {
  #chip;
  #host;
  #isOpen = false;
  /** What the device is ready for: the endpoint's number and the most bytes. */
  #wanted = null;

  /** Plugs it in. `sent` is called with bytes from the device. */
  constructor(chip, sent) {
    this.#chip = chip;
    this.#host = new USBCDC(chip.usbCtrl);
    this.#host.onDeviceConnected = () => (this.#isOpen = true);
    this.#host.onSerialData = sent;
    // The emulator's own host takes a buffer back at once, with nothing in it. A real one leaves it to the controller
    // until there is something.
    chip.usbCtrl.onEndpointRead = (endpoint, length) => {
      if (endpoint !== this.#host.outEndpoint) return;
      this.#wanted = { endpoint, length };
      this.#setAvailable(endpoint, AVAILABLE);
    };
  }

  /** Gives bytes to the device; how many it took. */
  receive(bytes) {
    if (!this.#isOpen || !this.#wanted || bytes.length === 0) return 0;
    const { endpoint, length } = this.#wanted;
    this.#wanted = null;
    const packet = bytes.subarray(0, length);
    this.#setAvailable(endpoint, 0);
    this.#chip.usbCtrl.finishRead(endpoint, packet);
    return packet.length;
  }

  #setAvailable(endpoint, bit) {
    const word = this.#chip.usbDPRAMView.getUint32(control(endpoint), true);
    this.#chip.usbDPRAMView.setUint32(control(endpoint), (word & ~AVAILABLE) | bit, true);
  }
}
