//! The serial ports of this computer.

/// The serial ports of this computer, with what is known of each.
///
/// # Errors
/// What the operating system says.
pub fn ports() -> Result<Vec<(String, String)>, serialport::Error> {
    let ports = serialport::available_ports()?.into_iter().map(|port| {
        let what = match port.port_type {
            serialport::SerialPortType::UsbPort(usb) => {
                let names = [usb.manufacturer, usb.product, usb.serial_number];
                let names: Vec<String> = names.into_iter().flatten().collect();
                format!("USB {:04x}:{:04x} {}", usb.vid, usb.pid, names.join(" "))
            }
            serialport::SerialPortType::PciPort => "built in".to_owned(),
            serialport::SerialPortType::BluetoothPort => "Bluetooth".to_owned(),
            serialport::SerialPortType::Unknown => String::new(),
        };
        (port.port_name, what.trim().to_owned())
    });
    Ok(ports.collect())
}
