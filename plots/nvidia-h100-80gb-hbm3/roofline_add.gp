# A roofline with its data. Draw it again: gnuplot roofline_add.gp
if (!exists("svg")) svg = "roofline_add.svg"
if (!exists("png")) png = "roofline_add.png"
set encoding utf8
$points << EOD
0.17117 2.98515e+10
0.17117 2.32982e+11
0.17117 4.70231e+11
0.17117 5.04108e+11
0.342339 2.90723e+10
0.342339 2.98492e+11
0.342339 8.55839e+11
0.342339 9.84569e+11
0.361088 2.89327e+10
0.361088 2.98404e+11
0.361088 8.53002e+11
0.361088 9.8599e+11
0.361088 9.38275e+11
0.361088 6.80221e+11
0.180544 3.10587e+10
0.180544 2.38357e+11
0.180544 4.6885e+11
0.180544 5.06737e+11
0.380863 3.13756e+10
0.380863 3.0858e+11
0.380863 8.60793e+11
0.380863 9.8665e+11
0.401722 3.23977e+10
0.401722 3.02575e+11
0.401722 8.59074e+11
0.401722 9.89373e+11
0.401722 9.3642e+11
0.401722 6.6373e+11
0.190432 3.08617e+10
0.190432 2.41231e+11
0.190432 4.67432e+11
0.190432 4.98445e+11
0.423722 3.16829e+10
0.423722 3.15065e+11
0.423722 8.59972e+11
0.423722 9.79425e+11
0.446928 3.0932e+10
0.446928 3.09553e+11
0.446928 8.62556e+11
0.446928 9.8137e+11
0.446928 9.36141e+11
0.446928 6.87767e+11
0.200861 3.19383e+10
0.200861 2.38121e+11
0.200861 4.66832e+11
0.200861 5.00421e+11
0.471405 3.16502e+10
0.471405 3.16446e+11
0.471405 8.63349e+11
0.471405 9.84899e+11
0.497221 3.17009e+10
0.497221 3.22964e+11
0.497221 8.62851e+11
0.497221 9.867e+11
0.497221 9.40888e+11
0.497221 7.05246e+11
0.138294 3.17891e+10
0.138294 2.2725e+11
0.138294 4.16832e+11
0.138294 4.51286e+11
0.223464 3.22846e+10
0.223464 2.84477e+11
0.223464 5.78946e+11
0.223464 6.32584e+11
0.235702 3.21838e+10
0.235702 2.81194e+11
0.235702 5.77726e+11
0.235702 6.38727e+11
0.145867 3.15125e+10
0.145867 2.33852e+11
0.145867 4.64726e+11
0.145867 5.007e+11
0.248611 3.20897e+10
0.248611 2.91079e+11
0.248611 7.04603e+11
0.248611 7.68718e+11
0.262226 3.19702e+10
0.262226 2.87197e+11
0.262226 7.13352e+11
0.262226 7.83598e+11
0.153856 3.17758e+10
0.153856 2.38456e+11
0.153856 4.68492e+11
0.153856 5.00403e+11
0.276587 3.22302e+10
0.276587 3.17326e+11
0.276587 8.62079e+11
0.276587 9.78832e+11
0.291735 3.20874e+10
0.291735 3.1647e+11
0.291735 8.6037e+11
0.291735 9.79385e+11
0.162282 3.12124e+10
0.162282 2.37016e+11
0.162282 4.6876e+11
0.162282 5.009e+11
0.307712 3.17079e+10
0.307712 3.16529e+11
0.307712 8.62677e+11
0.307712 9.79469e+11
0.324564 3.19667e+10
0.324564 3.16305e+11
0.324564 8.59759e+11
0.324564 9.80527e+11
0.324564 9.34852e+11
0.324564 6.99557e+11
EOD
$lines << EOD
0.02 1.60088e+11
7.88194 6.30902e+13


0.02 6.02792e+10
20.9327 6.30902e+13


0.02 6.23341e+10
20.2426 6.30902e+13


7.88194 6.30902e+13
100 6.30902e+13


0.131113 5.19451e+11
0.211861 5.19451e+11


0.211861 1.0389e+12
0.524452 1.0389e+12


EOD
set lmargin at screen 0.08333
set rmargin at screen 0.77500
set bmargin at screen 0.11842
set tmargin at screen 0.90789
set logscale xy
set xrange [0.02:100]
set yrange [1e+10:2e+14]
set format x "%g"
set format y "%.0s %c"
set xlabel "Arithmetic intensity (FLOP/byte)" textcolor rgb "#202020"
set ylabel "Performance (FLOP/s)" textcolor rgb "#202020" offset -1,0
set border linecolor rgb "#404040"
set tics textcolor rgb "#202020"
set grid xtics ytics mxtics mytics linetype 1 linecolor rgb "#D8D8D8", linetype 1 linecolor rgb "#F0F0F0"
set label 1000 'Roofline of add: NVIDIA H100 80GB HBM3, 2026-11-28' at screen 0.08333, 0.968 left noenhanced textcolor rgb "#101010" font ",16"
set label 1001 '' at screen 0.08333, 0.925 left noenhanced textcolor rgb "#A3123F" font ",12"
set label 1002 'Cold figures. Points of one intensity stand side by side under a red cap, their memory roof.' at screen 0.08333, 0.025 left noenhanced textcolor rgb "#505050" font ",10"
set label 'L2 8.00 TB/s' at 0.0217799, 2.11735e+11 left rotate by 31.9 noenhanced textcolor rgb "#303030" font ",11" front
set label 'copy 3.01 TB/s' at 0.0245371, 5.85694e+10 left rotate by 31.9 noenhanced textcolor rgb "#303030" font ",11" front
set label 'read 3.12 TB/s' at 0.0217799, 8.24442e+10 left rotate by 31.9 noenhanced textcolor rgb "#303030" font ",11" front
set label 'fma f32 63.1 TFLOP/s' at 92.1186, 7.44125e+13 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set key at screen 0.79, 0.90789 top left Left reverse noenhanced textcolor rgb "#202020" samplen 1 spacing 1.15 font ",11" nobox
set terminal svg size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output svg
plot NaN notitle, \
  $lines index 1-1 with lines linecolor rgb "#404040" dt 4 lw 1.4 notitle, \
  $lines index 2-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 3-1 with lines linecolor rgb "#404040" dt 3 lw 1.4 notitle, \
  $lines index 4-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 5-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $lines index 6-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $points every ::1-1::1-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::2-1::2-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.98 linewidth 1.8 notitle, \
  $points every ::3-1::3-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.16 linewidth 1.8 notitle, \
  $points every ::4-1::4-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.34 linewidth 1.8 notitle, \
  $points every ::5-1::5-1 with points pointtype 8 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::6-1::6-1 with points pointtype 8 linecolor rgb "#000000" pointsize 0.98 linewidth 1.8 notitle, \
  $points every ::7-1::7-1 with points pointtype 8 linecolor rgb "#000000" pointsize 1.16 linewidth 1.8 notitle, \
  $points every ::8-1::8-1 with points pointtype 8 linecolor rgb "#000000" pointsize 1.34 linewidth 1.8 notitle, \
  $points every ::9-1::9-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::10-1::10-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.98 linewidth 1.8 notitle, \
  $points every ::11-1::11-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.16 linewidth 1.8 notitle, \
  $points every ::12-1::12-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.34 linewidth 1.8 notitle, \
  $points every ::13-1::13-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.52 linewidth 1.8 notitle, \
  $points every ::14-1::14-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::15-1::15-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::16-1::16-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.98 linewidth 1.8 notitle, \
  $points every ::17-1::17-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.16 linewidth 1.8 notitle, \
  $points every ::18-1::18-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.34 linewidth 1.8 notitle, \
  $points every ::19-1::19-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::20-1::20-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 0.98 linewidth 1.8 notitle, \
  $points every ::21-1::21-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 1.16 linewidth 1.8 notitle, \
  $points every ::22-1::22-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 1.34 linewidth 1.8 notitle, \
  $points every ::23-1::23-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::24-1::24-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.98 linewidth 1.8 notitle, \
  $points every ::25-1::25-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.16 linewidth 1.8 notitle, \
  $points every ::26-1::26-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.34 linewidth 1.8 notitle, \
  $points every ::27-1::27-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.52 linewidth 1.8 notitle, \
  $points every ::28-1::28-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::29-1::29-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::30-1::30-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 0.98 linewidth 1.8 notitle, \
  $points every ::31-1::31-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.16 linewidth 1.8 notitle, \
  $points every ::32-1::32-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.34 linewidth 1.8 notitle, \
  $points every ::33-1::33-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::34-1::34-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 0.98 linewidth 1.8 notitle, \
  $points every ::35-1::35-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 1.16 linewidth 1.8 notitle, \
  $points every ::36-1::36-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 1.34 linewidth 1.8 notitle, \
  $points every ::37-1::37-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::38-1::38-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 0.98 linewidth 1.8 notitle, \
  $points every ::39-1::39-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.16 linewidth 1.8 notitle, \
  $points every ::40-1::40-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.34 linewidth 1.8 notitle, \
  $points every ::41-1::41-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.52 linewidth 1.8 notitle, \
  $points every ::42-1::42-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::43-1::43-1 with points pointtype 6 linecolor rgb "#B02A37" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::44-1::44-1 with points pointtype 6 linecolor rgb "#B02A37" pointsize 0.98 linewidth 1.8 notitle, \
  $points every ::45-1::45-1 with points pointtype 6 linecolor rgb "#B02A37" pointsize 1.16 linewidth 1.8 notitle, \
  $points every ::46-1::46-1 with points pointtype 6 linecolor rgb "#B02A37" pointsize 1.34 linewidth 1.8 notitle, \
  $points every ::47-1::47-1 with points pointtype 8 linecolor rgb "#B02A37" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::48-1::48-1 with points pointtype 8 linecolor rgb "#B02A37" pointsize 0.98 linewidth 1.8 notitle, \
  $points every ::49-1::49-1 with points pointtype 8 linecolor rgb "#B02A37" pointsize 1.16 linewidth 1.8 notitle, \
  $points every ::50-1::50-1 with points pointtype 8 linecolor rgb "#B02A37" pointsize 1.34 linewidth 1.8 notitle, \
  $points every ::51-1::51-1 with points pointtype 4 linecolor rgb "#B02A37" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::52-1::52-1 with points pointtype 4 linecolor rgb "#B02A37" pointsize 0.98 linewidth 1.8 notitle, \
  $points every ::53-1::53-1 with points pointtype 4 linecolor rgb "#B02A37" pointsize 1.16 linewidth 1.8 notitle, \
  $points every ::54-1::54-1 with points pointtype 4 linecolor rgb "#B02A37" pointsize 1.34 linewidth 1.8 notitle, \
  $points every ::55-1::55-1 with points pointtype 4 linecolor rgb "#B02A37" pointsize 1.52 linewidth 1.8 notitle, \
  $points every ::56-1::56-1 with points pointtype 4 linecolor rgb "#B02A37" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::57-1::57-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::58-1::58-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::59-1::59-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::60-1::60-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::61-1::61-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::62-1::62-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::63-1::63-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::64-1::64-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::65-1::65-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::66-1::66-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::67-1::67-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::68-1::68-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::69-1::69-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::70-1::70-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::71-1::71-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::72-1::72-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::73-1::73-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::74-1::74-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::75-1::75-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::76-1::76-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::77-1::77-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::78-1::78-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::79-1::79-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::80-1::80-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::81-1::81-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::82-1::82-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::83-1::83-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::84-1::84-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::85-1::85-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::86-1::86-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::87-1::87-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::88-1::88-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::89-1::89-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::90-1::90-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::91-1::91-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::92-1::92-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::93-1::93-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::94-1::94-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::95-1::95-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::96-1::96-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::97-1::97-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::98-1::98-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::99-1::99-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::100-1::100-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::101-1::101-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::102-1::102-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::103-1::103-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::104-1::104-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::105-1::105-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.52 linewidth 1.0 notitle, \
  $points every ::106-1::106-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.70 linewidth 1.0 notitle, \
  NaN with lines linecolor rgb "white" title 'Kernels', \
  NaN with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.40 linewidth 1.6 title 'v1_baseline', \
  NaN with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.40 linewidth 1.6 title 'v2_tiling', \
  NaN with points pointtype 7 linecolor rgb "#009E73" pointsize 1.40 linewidth 1.6 title 'v3_coalesced', \
  NaN with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.6 title 'v4_optimized', \
  NaN with lines linecolor rgb "white" title 'Peers', \
  NaN with points pointtype 6 linecolor rgb "#000000" pointsize 1.40 linewidth 1.6 title 'cub', \
  NaN with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.40 linewidth 1.6 title 'torch_compile', \
  NaN with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.40 linewidth 1.6 title 'torch_eager', \
  NaN with points pointtype 6 linecolor rgb "#B02A37" pointsize 1.40 linewidth 1.6 title 'triton', \
  NaN with lines linecolor rgb "white" title 'Dtypes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f32', \
  NaN with points pointtype 9 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f16', \
  NaN with points pointtype 5 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'bf16', \
  NaN with lines linecolor rgb "white" title 'Sizes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.80 linewidth 1.6 title 'small', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.98 linewidth 1.6 title 'medium', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.16 linewidth 1.6 title 'large', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.34 linewidth 1.6 title 'xlarge', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.52 linewidth 1.6 title 'llama3_8b_residual', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.70 linewidth 1.6 title 'gpt2_residual'
set terminal pngcairo size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output png
replot
set output
